using System;
using System.Diagnostics;

namespace PlayerAnalytics
{
    /// <summary>The clocks of the device.</summary>
    public sealed class SystemGameClock : IGameClock
    {
        private static readonly DateTime Epoch = new DateTime(1970, 1, 1, 0, 0, 0, DateTimeKind.Utc);

        public double WallMs
        {
            get { return (DateTime.UtcNow - Epoch).TotalMilliseconds; }
        }

        public double SteadyMs
        {
            get { return Stopwatch.GetTimestamp() * 1000.0 / Stopwatch.Frequency; }
        }
    }
}
