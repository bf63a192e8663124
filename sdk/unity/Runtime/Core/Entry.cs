using System.Collections.Generic;
using System.Globalization;
using System.Text;

namespace PlayerAnalytics
{
    internal enum EntryKind
    {
        /// <summary>A tracked event.</summary>
        Event,

        /// <summary>Changed attributes of the player.</summary>
        State,

        /// <summary>The end of a session.</summary>
        End,
    }

    /// <summary>
    /// What the queue holds. Stored as a line of JSON for as long as a device is offline: only ever add members that
    /// may be absent.
    /// </summary>
    internal sealed class Entry
    {
        /// <summary>Member names, ids, times and punctuation of an event in a request.</summary>
        private const int OverheadBytes = 300;

        internal EntryKind Kind;

        /// <summary>Set once; the event_id, so that the service recognises every repeat.</summary>
        internal string Id;

        /// <summary>By the service, or the client's own id while the service has not opened it.</summary>
        internal string Session;

        /// <summary>Of an event.</summary>
        internal string Name = "";

        /// <summary>Milliseconds since 1970: the service's time if corrected, else the device's.</summary>
        internal long AtMs;

        internal bool Corrected;

        /// <summary>Properties or attributes as JSON; empty if there are none.</summary>
        internal string Json = "";

        /// <summary>Length of the session that ends.</summary>
        internal long Seconds;

        /// <summary>Bytes in a request, from above.</summary>
        internal int Size
        {
            get { return OverheadBytes + Encoding.UTF8.GetByteCount(Name) + Encoding.UTF8.GetByteCount(Json); }
        }

        /// <summary>Without the end of the line.</summary>
        internal string ToLine()
        {
            var line = new StringBuilder("{\"kind\":\"").Append(NameOf(Kind)).Append("\",\"id\":");
            line.Append(JsonWriter.Quote(Id)).Append(",\"session\":").Append(JsonWriter.Quote(Session));
            if (Kind == EntryKind.Event) line.Append(",\"name\":").Append(JsonWriter.Quote(Name));
            if (Kind != EntryKind.State)
            {
                line.Append(",\"atMs\":").Append(AtMs.ToString(CultureInfo.InvariantCulture));
                line.Append(",\"corrected\":").Append(Corrected ? "true" : "false");
            }
            if (Kind == EntryKind.End)
            {
                line.Append(",\"seconds\":").Append(Seconds.ToString(CultureInfo.InvariantCulture));
            }
            else
            {
                line.Append(",\"json\":").Append(JsonWriter.Quote(Json));
            }
            return line.Append('}').ToString();
        }

        /// <summary>null if it is not one.</summary>
        internal static Entry From(Dictionary<string, object> members)
        {
            var id = members.Text("id");
            var session = members.Text("session");
            if (id == null || session == null) return null;
            var entry = new Entry { Id = id, Session = session };
            switch (members.Text("kind"))
            {
                case "event":
                    entry.Kind = EntryKind.Event;
                    entry.Name = members.Text("name");
                    return entry.Name != null && entry.ReadTime(members) && entry.ReadJson(members, true) ? entry : null;
                case "state":
                    entry.Kind = EntryKind.State;
                    return entry.ReadJson(members, false) ? entry : null;
                case "end":
                    entry.Kind = EntryKind.End;
                    entry.Seconds = members.Count("seconds", long.MaxValue / 2);
                    return entry.Seconds >= 0 && entry.ReadTime(members) ? entry : null;
                default:
                    return null;
            }
        }

        private static string NameOf(EntryKind kind)
        {
            return kind == EntryKind.Event ? "event" : kind == EntryKind.State ? "state" : "end";
        }

        private bool ReadTime(Dictionary<string, object> members)
        {
            if (!(members.Get("atMs") is double atMs) || !(members.Get("corrected") is bool corrected)) return false;
            AtMs = Times.Clamp(atMs);
            Corrected = corrected;
            return true;
        }

        private bool ReadJson(Dictionary<string, object> members, bool mayBeEmpty)
        {
            Json = members.Get("json") as string;
            if (Json == null) return false;
            return (mayBeEmpty && Json.Length == 0) || JsonReader.ReadObject(Json) != null;
        }
    }
}
