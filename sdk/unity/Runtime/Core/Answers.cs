using System.Collections.Generic;

namespace PlayerAnalytics
{
    /// <summary>
    /// Reads the answers of the service. Every method returns null for an answer of another shape, or one to another
    /// request: proxies and captive portals answer 200 too, and nothing may leave the queue because of them.
    /// </summary>
    internal static class Answers
    {
        internal static string ReadPlayerId(Dictionary<string, object> data, string externalId)
        {
            return data.Get("external_id") as string == externalId ? data.Text("id") : null;
        }

        internal static Opened ReadInit(Dictionary<string, object> data, string playerId)
        {
            var session = data.Text("session_id");
            var serverMs = Times.Parse(data.Text("server_time"));
            if (session == null || serverMs == null || data.Object("player").Text("player_id") != playerId) return null;
            return new Opened
            {
                Session = session,
                ServerMs = serverMs.Value,
                Flags = ReadFlags(data.Object("flags")),
                Segments = data.Texts("segments"),
            };
        }

        internal static Dictionary<string, FlagState> ReadFlags(Dictionary<string, object> members)
        {
            var flags = new Dictionary<string, FlagState>();
            if (members == null) return flags;
            foreach (var pair in members)
            {
                var flag = pair.Value as Dictionary<string, object>;
                if (!(flag.Get("enabled") is bool enabled)) continue;
                flags[pair.Key] = new FlagState(flag.Get("value"))
                {
                    Enabled = enabled,
                    Variant = flag.Text("variant"),
                    Reason = flag.Text("reason"),
                    Period = flag.Get("period") as double?,
                };
            }
            return flags;
        }

        /// <summary>What an answer to a step means for the entries in it.</summary>
        internal static Settlement Settle(Step step, Dictionary<string, object> data)
        {
            switch (step.Kind)
            {
                case StepKind.Sync:
                    return SettleSync(step, data);
                case StepKind.End:
                    var isOurs = data.Object("session_summary").Text("session_id") == step.Session;
                    return isOurs ? SettleListed(step, data) : null;
                case StepKind.Batch:
                    return SettleBatch(step, data);
                case StepKind.Record:
                    return data.Text("session_id") == step.Session ? SettleAll(step) : null;
                default:
                    return null;
            }
        }

        private static Settlement SettleSync(Step step, Dictionary<string, object> data)
        {
            var settlement = SettleListed(step, data);
            if (settlement == null) return null;
            var left = step.Events.Count - data.List("rejected").Count;
            var accepted = data.Count("events_accepted", left);
            if (accepted < 0) return null;
            settlement.Unnamed = left - accepted - settlement.Quarantined.Count;
            settlement.IsSync = true;
            settlement.Flags = ReadFlags(data.Object("updated_flags"));
            foreach (var item in data.List("interventions") ?? new List<object>())
            {
                var message = item as Dictionary<string, object>;
                if (message.Text("intervention_id") != null && message.Object("content") != null)
                {
                    settlement.Interventions.Add(message);
                }
            }
            return settlement;
        }

        private static Settlement SettleListed(Step step, Dictionary<string, object> data)
        {
            var rejected = data.List("rejected");
            if (rejected == null) return null;
            var settlement = SettleAll(step);
            foreach (var item in rejected)
            {
                var each = item as Dictionary<string, object>;
                var index = each.Count("index", step.Events.Count - 1);
                if (index < 0) return null;
                var entry = step.Events[(int)index];
                var error = each.Object("error");
                var code = error.Text("code");
                if (code == null) continue;
                if (code == "SERVICE_UNAVAILABLE" || code == "INTERNAL_ERROR")
                {
                    settlement.Done.Remove(entry.Id);
                    settlement.HasUnavailable = true;
                    continue;
                }
                settlement.Rejected.Add(new Rejection { Entry = entry, Message = code + ": " + error.Text("message") });
            }
            foreach (var item in data.List("warnings") ?? new List<object>())
            {
                var each = item as Dictionary<string, object>;
                var index = each.Count("index", step.Events.Count - 1);
                if (index < 0) return null;
                if (each.Get("quarantined") is bool isApart && isApart) settlement.Quarantined.Add(step.Events[(int)index]);
            }
            return settlement;
        }

        /// <summary>The answer has to name each event of the request.</summary>
        private static Settlement SettleBatch(Step step, Dictionary<string, object> data)
        {
            var results = data.List("results");
            if (results == null || results.Count != step.Events.Count) return null;
            var settlement = new Settlement();
            foreach (var item in results)
            {
                var result = item as Dictionary<string, object>;
                var index = result.Count("index", step.Events.Count - 1);
                var status = result.Text("status");
                if (index < 0 || status == null) return null;
                var entry = step.Events[(int)index];
                var id = result.Text("event_id");
                if (id != entry.Id && (id != null || status != "rejected")) return null;
                var error = result.Object("error");
                var isPlayerUnknown = status == "rejected" && error.Text("code") == "PLAYER_NOT_FOUND";
                if (status == "unavailable") settlement.HasUnavailable = true;
                else if (isPlayerUnknown) settlement.IsPlayerUnknown = true;
                else settlement.Done.Add(entry.Id);
                if (status == "quarantined") settlement.Quarantined.Add(entry);
                if (status == "rejected" && !isPlayerUnknown)
                {
                    var message = error.Text("message") ?? "The service rejected the event.";
                    settlement.Rejected.Add(new Rejection { Entry = entry, Message = message });
                }
            }
            return settlement;
        }

        private static Settlement SettleAll(Step step)
        {
            var settlement = new Settlement();
            foreach (var entry in step.Entries) settlement.Done.Add(entry.Id);
            return settlement;
        }
    }

    internal sealed class Opened
    {
        internal string Session;
        internal long ServerMs;
        internal Dictionary<string, FlagState> Flags;
        internal List<string> Segments;
    }

    internal sealed class Rejection
    {
        internal Entry Entry;
        internal string Message;
    }

    internal sealed class Settlement
    {
        /// <summary>Entries that leave the queue: stored by the service, or dropped.</summary>
        internal readonly HashSet<string> Done = new HashSet<string>();

        /// <summary>Events that the service refuses for ever.</summary>
        internal readonly List<Rejection> Rejected = new List<Rejection>();

        internal readonly List<Entry> Quarantined = new List<Entry>();
        internal readonly List<Dictionary<string, object>> Interventions = new List<Dictionary<string, object>>();

        /// <summary>An event stays in the queue because of a temporary fault.</summary>
        internal bool HasUnavailable;

        /// <summary>The service does not know the player (any more).</summary>
        internal bool IsPlayerUnknown;

        /// <summary>Events that were neither accepted nor named: repeats, or an answer to another request.</summary>
        internal long Unnamed;

        internal bool IsSync;
        internal Dictionary<string, FlagState> Flags;
    }
}
