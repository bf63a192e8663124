using System.Collections.Generic;

namespace PlayerAnalytics
{
    internal enum StepKind
    {
        Register,
        Init,
        Sync,
        Batch,
        End,
        Record,
    }

    /// <summary>A request, and what of the queue is in it.</summary>
    internal sealed class Step
    {
        internal StepKind Kind;
        internal string Path;
        internal string Body;

        /// <summary>null if the request needs none.</summary>
        internal string IdempotencyKey;

        internal readonly List<Entry> Events = new List<Entry>();
        internal readonly List<Entry> States = new List<Entry>();

        /// <summary>The end of a session; null if there is none.</summary>
        internal Entry End;

        /// <summary>By the service for a sync and an end, own for an init and a record, otherwise empty.</summary>
        internal string Session = "";

        internal IEnumerable<Entry> Entries
        {
            get
            {
                foreach (var entry in Events) yield return entry;
                foreach (var entry in States) yield return entry;
                if (End != null) yield return End;
            }
        }

        /// <summary>
        /// What to drop from a request that the service refuses as a whole; null if nothing of the queue is in it.
        /// <c>isSome</c>: one of several events, not known which.
        /// </summary>
        internal List<Entry> AtFault(Dictionary<string, object> details, out bool isSome)
        {
            isSome = false;
            var isStateAtFault = false;
            foreach (var item in details.List("fields") ?? new List<object>())
            {
                var path = (item as Dictionary<string, object>).Text("path");
                isStateAtFault |= path != null && path.StartsWith("/state_updates", System.StringComparison.Ordinal);
            }
            if (States.Count > 0 && (isStateAtFault || Events.Count == 0)) return States;
            if (Events.Count > 0)
            {
                isSome = Events.Count > 1;
                return Events;
            }
            if (End != null) return new List<Entry> { End };
            return Kind == StepKind.Record ? new List<Entry>() : null;
        }
    }
}
