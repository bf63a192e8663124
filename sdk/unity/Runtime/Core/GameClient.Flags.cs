using System.Collections.Generic;

namespace PlayerAnalytics
{
    /// <content>What flags serve: the value, or the fallback without one or for one of another type.</content>
    public sealed partial class GameClient
    {
        private const string ExposedName = "flag_exposed";

        /// <summary>Whole numbers up to this one are exact as a double.</summary>
        private const double MostWhole = 9007199254740991;

        /// <summary>By flag: the period and the variant that the player was exposed to last.</summary>
        private readonly Dictionary<string, string> exposed = new Dictionary<string, string>();

        public string Flag(string key, string fallback)
        {
            return StateOf(key).ValueOr(fallback);
        }

        public bool Flag(string key, bool fallback)
        {
            return StateOf(key).ValueOr(fallback);
        }

        public double Flag(string key, double fallback)
        {
            return StateOf(key).ValueOr(fallback);
        }

        public float Flag(string key, float fallback)
        {
            return (float)StateOf(key).ValueOr<double>(fallback);
        }

        /// <summary>The fallback also for a number with a fraction, and for one that does not fit.</summary>
        public int Flag(string key, int fallback)
        {
            return (int)StateOf(key).WholeOr(fallback, int.MinValue, int.MaxValue);
        }

        /// <summary>The fallback also for a number with a fraction, and for one that does not fit.</summary>
        public long Flag(string key, long fallback)
        {
            var number = StateOf(key).WholeOr(double.NaN, -MostWhole, MostWhole);
            return double.IsNaN(number) ? fallback : (long)number;
        }

        /// <summary>
        /// A copy of the value: for a dictionary as fallback a <c>Dictionary&lt;string, object&gt;</c>, for a list a
        /// <c>List&lt;object&gt;</c>, for null a value of any type. Numbers in it are doubles.
        /// </summary>
        public object Flag(string key, object fallback)
        {
            var value = StateOf(key).Value;
            if (value == null) return fallback;
            return fallback == null || KindOf(value) == KindOf(fallback) ? value : fallback;
        }

        /// <summary>
        /// Tracks that the player saw the flag as it is now, once per variant and period of the flag.
        /// </summary>
        public bool Expose(string flagKey)
        {
            lock (gate)
            {
                var flag = StateOf(flagKey);
                var properties = new Dictionary<string, object> { { "flag_key", flagKey } };
                if (flag.Shown != null) properties["variant_key"] = flag.Shown;
                var seen = JsonWriter.Write(new[] { flag.Shown, flag.Period });
                var isKnown = flag != NoFlag;
                if (isKnown && exposed.TryGetValue(flagKey, out var before) && before == seen) return !isOver && isAllowed;
                if (!Track(ExposedName, properties)) return false;
                if (isKnown) exposed[flagKey] = seen;
                return true;
            }
        }

        private static readonly FlagState NoFlag = new FlagState(null);

        private FlagState StateOf(string key)
        {
            lock (gate) return key != null && state.Flags.TryGetValue(key, out var flag) ? flag : NoFlag;
        }

        /// <summary>The type of JSON that a value of the game has.</summary>
        private static string KindOf(object value)
        {
            if (value is string) return "text";
            if (value is bool) return "bool";
            if (value is System.Collections.IDictionary || value is IEnumerable<KeyValuePair<string, object>>) return "object";
            return value is System.Collections.IEnumerable ? "list" : "number";
        }
    }
}
