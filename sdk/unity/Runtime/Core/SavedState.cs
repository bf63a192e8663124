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

        /// <summary>The time after which the service ends a silent session, unless it is configured otherwise.</summary>
        private const long ContinuedMs = 30 * 60000;

        /// <summary>How exactly the time is stored at which a session was last known to go on.</summary>
        private const long ActiveMs = 60000;

        /// <summary>The session that is played: the client's own id and the service's, once it has opened it.</summary>
        internal string OwnSession;

        internal string Session;

        /// <summary>When it began, by the device's clock.</summary>
        internal long SinceMs;

        private long activeMs;

        /// <summary>What <c>init</c> sends: another build, or other flags, begin another session.</summary>
        private string fields;

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
            var session = members.Object("session");
            state.OwnSession = session.Text("own");
            state.Session = session.Text("id");
            state.SinceMs = session.Get("sinceMs") is double since ? Times.Clamp(since) : 0;
            state.activeMs = session.Get("activeMs") is double active ? Times.Clamp(active) : 0;
            state.fields = session.Text("fields");
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
            var session = new Dictionary<string, object>
            {
                { "own", OwnSession },
                { "id", Session },
                { "sinceMs", SinceMs },
                { "activeMs", activeMs },
                { "fields", fields },
            };
            return JsonWriter.Write(new Dictionary<string, object>
            {
                { "session", OwnSession == null ? null : session },
                { "playerId", PlayerId },
                { "flags", flags },
                { "segments", Segments },
                { "opened", pairs },
                { "closed", closed },
                { "recorded", recorded },
            });
        }

        /// <summary>Whether a start goes on with the session: only if it was played a short time ago.</summary>
        internal bool Continues(string initFields, long nowMs)
        {
            var silentMs = nowMs - activeMs;
            if (OwnSession != null && fields == initFields && silentMs >= 0 && silentMs < ContinuedMs) return true;
            OwnSession = Session = null;
            return false;
        }

        internal void Begin(string own, string initFields, long nowMs)
        {
            OwnSession = own;
            Session = null;
            SinceMs = activeMs = nowMs;
            fields = initFields;
        }

        /// <summary>Whether that is worth storing.</summary>
        internal bool StillPlayed(long nowMs)
        {
            if (OwnSession == null || nowMs - activeMs < ActiveMs) return false;
            activeMs = nowMs;
            return true;
        }

        internal void End()
        {
            OwnSession = Session = null;
        }

        internal void Open(string own, string id)
        {
            if (OwnSession == own) Session = id;
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
