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
            return Asked(key, fallback).ValueOr(fallback);
        }

        public bool Flag(string key, bool fallback)
        {
            return Asked(key, fallback).ValueOr(fallback);
        }

        public double Flag(string key, double fallback)
        {
            return Asked(key, fallback).ValueOr(fallback);
        }

        public float Flag(string key, float fallback)
        {
            return (float)Asked(key, fallback).ValueOr<double>(fallback);
        }

        /// <summary>The fallback also for a number with a fraction, and for one that does not fit.</summary>
        public int Flag(string key, int fallback)
        {
            return (int)Asked(key, fallback).WholeOr(fallback, int.MinValue, int.MaxValue);
        }

        /// <summary>The fallback also for a number with a fraction, and for one that does not fit.</summary>
        public long Flag(string key, long fallback)
        {
            var number = Asked(key, fallback).WholeOr(double.NaN, -MostWhole, MostWhole);
            return double.IsNaN(number) ? fallback : (long)number;
        }

        /// <summary>
        /// A copy of the value: for a dictionary as fallback a <c>Dictionary&lt;string, object&gt;</c>, for a list a
        /// <c>List&lt;object&gt;</c>, for null a value of any type. Numbers in it are doubles.
        /// </summary>
        public object Flag(string key, object fallback)
        {
            var value = Asked(key, fallback).Value;
            if (value == null) return fallback;
            return fallback == null || FlagState.KindOf(value) == FlagState.KindOf(fallback) ? value : fallback;
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

        /// <summary>The flag, after a word on why the game will get the fallback.</summary>
        private FlagState Asked(string key, object fallback)
        {
            var flag = StateOf(key);
            if (!hasFlags) return flag;
            if (flag == NoFlag)
            {
                Advise("Flag \"" + key + "\" is not known: misspelt, archived, for servers only, or not among Flags.");
            }
            else if (flag.Kind != null && fallback != null && flag.Kind != FlagState.KindOf(fallback))
            {
                Advise("Flag \"" + key + "\" serves a " + flag.Kind + ", the fallback is a " + FlagState.KindOf(fallback)
                    + ": the game gets the fallback.");
            }
            return flag;
        }

        private FlagState StateOf(string key)
        {
            lock (gate) return key != null && state.Flags.TryGetValue(key, out var flag) ? flag : NoFlag;
        }
    }
}
