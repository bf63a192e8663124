using System;
using System.Collections.Generic;
using System.Globalization;
using System.Text;

namespace PlayerAnalytics
{
    /// <summary>
    /// Which request to send next for the queue.
    /// Invariants: 1. Entries are sent in their order. A request takes entries whose times do not go back, because the
    /// service applies the events of a request by time. 2. Events of a session that the service may still hold open go
    /// by sync or end-session. Events of other sessions go by the batch endpoint, which takes events of any age.
    /// 3. Changed attributes wait for a sync: the batch endpoint has none.
    /// </summary>
    internal sealed class Steps
    {
        /// <summary>The longest session that the service records.</summary>
        private const long DaySeconds = 86400;

        internal const int MostEvents = 50;

        /// <summary>Of a request: small enough to leave the device while the app goes to the background.</summary>
        private const int MostBytes = 60000;

        private readonly SavedState state;
        private readonly string current;
        private readonly long offsetMs;
        private readonly int mostEvents;
        private readonly Func<string> newKey;

        internal Steps(SavedState state, string own, long offsetMs, int mostEvents, Func<string> newKey)
        {
            this.state = state;
            this.offsetMs = offsetMs;
            this.mostEvents = mostEvents;
            this.newKey = newKey;
            current = state.Session != null && state.OwnSession == own ? state.Session : null;
        }

        /// <summary>The service's id of the session that is played; null if it is not open.</summary>
        internal string Current
        {
            get { return current; }
        }

        internal static Step Register(Dictionary<string, object> fields)
        {
            return new Step
            {
                Kind = StepKind.Register,
                Path = "/v1/players/players",
                Body = JsonWriter.Write(fields),
            };
        }

        /// <summary>The session's own id is the key: however often it is asked for, the service opens it once.</summary>
        internal static Step Init(string own, string playerId, Dictionary<string, object> fields)
        {
            var body = new Dictionary<string, object>(fields) { { "player_id", playerId } };
            return new Step
            {
                Kind = StepKind.Init,
                Path = "/v1/bff/game/init",
                Body = JsonWriter.Write(body),
                IdempotencyKey = own,
                Session = own,
            };
        }

        /// <summary>The next step; null if nothing can be sent.</summary>
        internal Step Next(IReadOnlyList<Entry> entries)
        {
            var events = new List<Entry>();
            var states = new List<Entry>();
            var isOpen = false;
            string session = null;
            var bytes = 0;
            var latestMs = long.MinValue;
            foreach (var entry in entries)
            {
                bytes += entry.Size;
                var isFull = bytes > MostBytes && events.Count + states.Count > 0;
                if (entry.Kind == EntryKind.State)
                {
                    if (session != null && !isOpen) continue;
                    if (isFull) break;
                    states.Add(entry);
                    continue;
                }
                var itsSession = SessionOf(entry, out var isItsOpen);
                if (entry.Kind == EntryKind.End)
                {
                    if (events.Count == 0 && (states.Count == 0 || !isItsOpen))
                    {
                        return End(events, entry, itsSession, isItsOpen, entries);
                    }
                    if (states.Count == 0 && isItsOpen && session == itsSession)
                    {
                        return End(events, entry, itsSession, true, entries);
                    }
                    break;
                }
                var atMs = TimeOf(entry);
                var isElsewhere = isOpen != isItsOpen || (isItsOpen && session != itsSession);
                if (session != null && isElsewhere) break;
                if (isFull || events.Count == mostEvents || atMs < latestMs) break;
                if (session == null)
                {
                    session = itsSession;
                    isOpen = isItsOpen;
                }
                if (!isOpen) states.Clear();
                events.Add(entry);
                latestMs = atMs;
            }
            if (session != null) return isOpen ? Sync(events, states, session) : Batch(events, entries);
            return states.Count == 0 || current == null ? null : Sync(events, states, current);
        }

        /// <summary>Asks for messages and changed flags, and keeps the session open.</summary>
        internal Step Sync(List<Entry> events, List<Entry> states, string session)
        {
            var body = new StringBuilder("{").Append(SessionJson(session)).Append(",\"events\":");
            AppendEvents(body, events, false);
            if (states.Count > 0) body.Append(",\"state_updates\":").Append(Attributes.Merged(states));
            var step = NewStep(StepKind.Sync, "/v1/bff/game/sync", body.Append('}'), session);
            step.IdempotencyKey = newKey();
            step.Events.AddRange(events);
            step.States.AddRange(states);
            return step;
        }

        /// <summary>Ends of sessions that are closed or recorded: nothing is left to send for them.</summary>
        internal HashSet<string> SettledEnds(IReadOnlyList<Entry> entries)
        {
            var settled = new HashSet<string>();
            foreach (var entry in entries)
            {
                if (entry.Kind != EntryKind.End || IsUnrecorded(entry.Session)) continue;
                SessionOf(entry, out var isOpen);
                if (!isOpen) settled.Add(entry.Id);
            }
            return settled;
        }

        private string SessionOf(Entry entry, out bool isOpen)
        {
            var known = state.ServerSession(entry.Session);
            isOpen = known != null && !state.IsClosed(known);
            return known ?? entry.Session;
        }

        private Step Batch(List<Entry> events, IReadOnlyList<Entry> entries)
        {
            foreach (var entry in events)
            {
                if (IsUnrecorded(entry.Session)) return Record(entry.Session, entries, null);
            }
            var body = new StringBuilder("{\"events\":");
            AppendEvents(body, events, true);
            var step = NewStep(StepKind.Batch, "/v1/events/events/batch", body.Append('}'), "");
            step.Events.AddRange(events);
            return step;
        }

        private Step End(List<Entry> events, Entry end, string session, bool isOpen, IReadOnlyList<Entry> entries)
        {
            if (!isOpen) return Record(end.Session, entries, end);
            var body = new StringBuilder("{").Append(SessionJson(session)).Append(",\"session_duration_seconds\":");
            body.Append(end.Seconds.ToString(CultureInfo.InvariantCulture)).Append(",\"final_events\":");
            AppendEvents(body, events, false);
            var step = NewStep(StepKind.End, "/v1/bff/game/end-session", body.Append('}'), session);
            step.IdempotencyKey = newKey();
            step.Events.AddRange(events);
            step.End = end;
            return step;
        }

        /// <summary>
        /// Records a session that was played without the service. A session counts once by its id, so a repeat adds
        /// nothing.
        /// </summary>
        private Step Record(string session, IReadOnlyList<Entry> entries, Entry end)
        {
            var firstMs = long.MaxValue;
            var lastMs = long.MinValue;
            var ended = end;
            foreach (var entry in entries)
            {
                if (entry.Session != session || entry.Kind == EntryKind.State) continue;
                if (entry.Kind == EntryKind.End && ended == null) ended = entry;
                firstMs = Math.Min(firstMs, TimeOf(entry));
                lastMs = Math.Max(lastMs, TimeOf(entry));
            }
            var startMs = ended == null ? firstMs : Math.Min(firstMs, TimeOf(ended) - ended.Seconds * 1000);
            var seconds = ended == null ? (lastMs - startMs) / 1000 : ended.Seconds;
            var body = JsonWriter.Write(new Dictionary<string, object>
            {
                { "session_id", session },
                { "duration_seconds", Math.Min(seconds, DaySeconds) },
                { "start_time", Times.Iso(startMs) },
                { "end_time", Times.Iso(lastMs) },
            });
            var path = "/v1/players/players/" + Uri.EscapeDataString(state.PlayerId) + "/session";
            var step = NewStep(StepKind.Record, path, new StringBuilder(body), session);
            step.End = end;
            return step;
        }

        private bool IsUnrecorded(string session)
        {
            return SavedState.IsOwn(session) && state.ServerSession(session) == null && !state.IsRecorded(session);
        }

        private string SessionJson(string session)
        {
            return "\"player_id\":" + JsonWriter.Quote(state.PlayerId) + ",\"session_id\":" + JsonWriter.Quote(session);
        }

        private void AppendEvents(StringBuilder body, List<Entry> events, bool isBatch)
        {
            body.Append('[');
            foreach (var entry in events)
            {
                if (body[body.Length - 1] != '[') body.Append(',');
                body.Append('{');
                if (isBatch) body.Append(SessionJson(SessionOf(entry, out _))).Append(',');
                body.Append("\"event_name\":").Append(JsonWriter.Quote(entry.Name));
                body.Append(",\"timestamp\":\"").Append(Times.Iso(TimeOf(entry)));
                body.Append("\",\"event_id\":").Append(JsonWriter.Quote(entry.Id));
                if (entry.Json.Length > 0) body.Append(",\"properties\":").Append(entry.Json);
                body.Append('}');
            }
            body.Append(']');
        }

        /// <summary>The service's time of an entry.</summary>
        private long TimeOf(Entry entry)
        {
            return entry.Corrected ? entry.AtMs : entry.AtMs + offsetMs;
        }

        private static Step NewStep(StepKind kind, string path, StringBuilder body, string session)
        {
            return new Step { Kind = kind, Path = path, Body = body.ToString(), Session = session };
        }
    }
}
