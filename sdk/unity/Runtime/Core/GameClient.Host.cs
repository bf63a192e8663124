using System.Collections.Generic;

namespace PlayerAnalytics
{
    /// <content>What the sender sees of the client.</content>
    public sealed partial class GameClient
    {
        private sealed class Host : ISenderHost
        {
            private readonly GameClient game;

            internal Host(GameClient game)
            {
                this.game = game;
            }

            public SavedState State
            {
                get { return game.state; }
            }

            public string OwnSession
            {
                get { return game.own; }
            }

            public string PlayerToken
            {
                get { return game.playerToken; }
            }

            public string NewId()
            {
                return game.NewId();
            }

            public void StateChanged()
            {
                game.isStateUnsaved = true;
            }

            public void FlagsServed(Dictionary<string, FlagState> flags, bool areAll)
            {
                var before = game.state.Flags;
                var after = areAll ? new Dictionary<string, FlagState>() : new Dictionary<string, FlagState>(before);
                foreach (var pair in flags) after[pair.Key] = pair.Value;
                foreach (var pair in after)
                {
                    before.TryGetValue(pair.Key, out var old);
                    if (!pair.Value.IsSame(old)) game.outbox.Add(pair.Key, pair.Value);
                }
                foreach (var key in before.Keys)
                {
                    if (!after.ContainsKey(key)) game.outbox.Add(key, null);
                }
                game.state.Flags = after;
                game.hasFlags |= areAll && flags.Count > 0;
                if (game.state.StillPlayed(game.clock.RawMs) || flags.Count > 0) StateChanged();
            }

            public void SessionGone()
            {
                if (game.own != null) game.BeginSession();
            }

            public void Offer(Dictionary<string, object> intervention)
            {
                game.outbox.Add(intervention);
            }

            public void Drop(Entry entry, DropReason reason, string message)
            {
                game.Debug("dropped " + entry.Name + " (" + reason.ToString().ToLowerInvariant() + "): " + message);
                // The exposure may be the one that is lost.
                if (entry.Name == ExposedName) game.exposed.Clear();
                if (entry.Kind == EntryKind.Event) game.outbox.Add(entry, reason, message);
                else Report(ProblemKind.Refused, "Changed attributes or the end of a session were dropped: " + message);
            }

            public void Advise(string message)
            {
                game.Advise(message);
            }

            public void Debug(string line)
            {
                game.Debug(line);
            }

            public void Report(ProblemKind kind, string message)
            {
                game.Report(kind, message);
            }

            public void TokenRefused()
            {
                game.outbox.AddTokenRefusal();
            }
        }
    }
}
