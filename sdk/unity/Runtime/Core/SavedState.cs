using System.Collections.Generic;

namespace PlayerAnalytics
{
    /// <summary>
    /// What a player's client remembers between runs: the player's id, the flags and segments of the last session, and
    /// which sessions exist.
    /// </summary>
    internal sealed class SavedState
    {
        /// <summary>
        /// Sessions with events in the queue at the same time; more only if the game was started as often offline.
        /// </summary>
        private const int RememberedSessions = 32;

        internal string PlayerId;
        internal Dictionary<string, FlagState> Flags = new Dictionary<string, FlagState>();
        internal List<string> Segments = new List<string>();

        /// <summary>The session of this run: the client's own id and the service's. Not stored.</summary>
        internal string OwnSession;

        internal string Session;
        private readonly List<KeyValuePair<string, string>> opened = new List<KeyValuePair<string, string>>();
        private readonly List<string> closed = new List<string>();
        private readonly List<string> recorded = new List<string>();

        /// <summary>Whether an id of a session is the client's own; those of the service begin with <c>ses_</c>.</summary>
        internal static bool IsOwn(string session)
        {
            return session.StartsWith("own_", System.StringComparison.Ordinal);
        }

        /// <summary>What is not readable counts as absent: it can be had again.</summary>
        internal static SavedState From(string text)
        {
            var state = new SavedState();
            var members = text == null ? null : JsonReader.ReadObject(text);
            if (members == null) return state;
            state.PlayerId = members.Text("playerId");
            state.Flags = Answers.ReadFlags(members.Object("flags"));
            state.Segments = members.Texts("segments");
            var pairs = members.Texts("opened");
            for (var index = 0; index + 1 < pairs.Count; index += 2)
            {
                state.opened.Add(new KeyValuePair<string, string>(pairs[index], pairs[index + 1]));
            }
            state.closed.AddRange(members.Texts("closed"));
            state.recorded.AddRange(members.Texts("recorded"));
            return state;
        }

        internal string ToJson()
        {
            var flags = new Dictionary<string, object>();
            foreach (var pair in Flags)
            {
                flags[pair.Key] = pair.Value.Fields();
            }
            var pairs = new List<string>();
            foreach (var pair in opened)
            {
                pairs.Add(pair.Key);
                pairs.Add(pair.Value);
            }
            return JsonWriter.Write(new Dictionary<string, object>
            {
                { "playerId", PlayerId },
                { "flags", flags },
                { "segments", Segments },
                { "opened", pairs },
                { "closed", closed },
                { "recorded", recorded },
            });
        }

        internal void Open(string own, string id)
        {
            OwnSession = own;
            Session = id;
            opened.Add(new KeyValuePair<string, string>(own, id));
            if (opened.Count > RememberedSessions) opened.RemoveAt(0);
        }

        internal void Close(string id)
        {
            if (Session == id) Session = OwnSession = null;
            closed.Remove(id);
            Remember(closed, id);
        }

        internal void Record(string own)
        {
            Remember(recorded, own);
        }

        internal void ForgetPlayer()
        {
            PlayerId = Session = OwnSession = null;
        }

        /// <summary>The service's id of a session; null if it never opened it.</summary>
        internal string ServerSession(string session)
        {
            if (!IsOwn(session)) return session;
            foreach (var pair in opened)
            {
                if (pair.Key == session) return pair.Value;
            }
            return null;
        }

        internal bool IsClosed(string id)
        {
            return closed.Contains(id);
        }

        internal bool IsRecorded(string own)
        {
            return recorded.Contains(own);
        }

        private static void Remember(List<string> list, string id)
        {
            list.Add(id);
            if (list.Count > RememberedSessions) list.RemoveAt(0);
        }
    }
}
