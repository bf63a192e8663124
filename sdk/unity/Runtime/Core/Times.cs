using System;
using System.Globalization;

namespace PlayerAnalytics
{
    /// <summary>Times as milliseconds since 1970.</summary>
    internal static class Times
    {
        private static readonly DateTime Epoch = new DateTime(1970, 1, 1, 0, 0, 0, DateTimeKind.Utc);

        /// <summary>The last day that ISO 8601 writes with four digits.</summary>
        private static readonly long LatestMs = Of(new DateTime(9999, 12, 31, 0, 0, 0, DateTimeKind.Utc));

        internal static long Of(DateTime time)
        {
            return (long)(time - Epoch).TotalMilliseconds;
        }

        /// <summary>A device's clock may be set to anything.</summary>
        internal static long Clamp(double ms)
        {
            return double.IsNaN(ms) || ms < 0 ? 0 : ms > LatestMs ? LatestMs : (long)ms;
        }

        internal static string Iso(long ms)
        {
            var time = Epoch.AddMilliseconds(Clamp(ms));
            return time.ToString("yyyy-MM-dd'T'HH:mm:ss.fff'Z'", CultureInfo.InvariantCulture);
        }

        /// <summary>Of ISO 8601, or of a header of HTTP; null if the text is no time.</summary>
        internal static long? Parse(string text)
        {
            const DateTimeStyles styles = DateTimeStyles.AdjustToUniversal | DateTimeStyles.AssumeUniversal;
            return text != null && DateTime.TryParse(text, CultureInfo.InvariantCulture, styles, out var time)
                ? Of(time)
                : (long?)null;
        }
    }
}
