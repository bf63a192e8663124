using System;
using System.Collections.Generic;

namespace PlayerAnalytics
{
    /// <summary>What a flag is for the player.</summary>
    public sealed class FlagState
    {
        private readonly object served;

        internal FlagState(object served)
        {
            this.served = served;
        }

        /// <summary>Whether the flag is on for the player and its value is neither <c>false</c> nor <c>null</c>.</summary>
        public bool Enabled { get; internal set; }

        /// <summary>
        /// A copy of what the flag serves: a text, double, bool, <c>Dictionary&lt;string, object&gt;</c> or
        /// <c>List&lt;object&gt;</c>; null if it serves none.
        /// </summary>
        public object Value
        {
            get { return CopyOf(served); }
        }

        /// <summary>Key of the served variant; null if the flag has none.</summary>
        public string Variant { get; internal set; }

        /// <summary>Why: <c>default</c>, <c>segment_match</c>, <c>percentage_rollout</c> and so on.</summary>
        public string Reason { get; internal set; }

        /// <summary>Of the flag's experiments: another one begins when an edit changes who gets what.</summary>
        public double? Period { get; internal set; }

        /// <summary>What an exposure names: the variant, or the value of a boolean flag that is on.</summary>
        internal object Shown
        {
            get { return Variant ?? (served is bool && Reason != "flag_disabled" ? served : null); }
        }

        /// <summary>The value if it has the type; otherwise the fallback.</summary>
        internal T ValueOr<T>(T fallback)
        {
            return served is T value ? value : fallback;
        }

        /// <summary>The value if it is a whole number from the first to the last; otherwise the fallback.</summary>
        internal double WholeOr(double fallback, double first, double last)
        {
            return served is double number && number >= first && number <= last && Math.Floor(number) == number
                ? number
                : fallback;
        }

        /// <summary>What the flag serves, in a word; null if it serves nothing.</summary>
        internal string Kind
        {
            get { return served == null ? null : KindOf(served); }
        }

        /// <summary>The type of JSON that a value of the game has.</summary>
        internal static string KindOf(object value)
        {
            if (value is string) return "text";
            if (value is bool) return "bool";
            if (value is System.Collections.IDictionary || value is IEnumerable<KeyValuePair<string, object>>) return "object";
            return value is System.Collections.IEnumerable ? "list" : "number";
        }

        internal bool IsSame(FlagState other)
        {
            return other != null && JsonWriter.Write(other.Fields()) == JsonWriter.Write(Fields());
        }

        internal Dictionary<string, object> Fields()
        {
            var fields = new Dictionary<string, object> { { "enabled", Enabled }, { "value", served } };
            if (Variant != null) fields["variant"] = Variant;
            if (Reason != null) fields["reason"] = Reason;
            if (Period != null) fields["period"] = Period;
            return fields;
        }

        private static object CopyOf(object value)
        {
            if (value is Dictionary<string, object> members)
            {
                var copy = new Dictionary<string, object>();
                foreach (var pair in members) copy[pair.Key] = CopyOf(pair.Value);
                return copy;
            }
            if (!(value is List<object> items)) return value;
            var list = new List<object>();
            foreach (var item in items) list.Add(CopyOf(item));
            return list;
        }
    }
}
