using System;

namespace PlayerAnalytics
{
    /// <summary>When to try again. A rate limit is no failed try; every other failure doubles the wait.</summary>
    internal sealed class Backoff
    {
        private const double FirstMs = 1000;

        /// <summary>An outage that is over must not keep players away for long.</summary>
        private const double LongestMs = 60000;

        /// <summary>A refused key is not mended in a minute.</summary>
        private const double RefusedMs = 300000;

        /// <summary>A rate limit without a Retry-After: half of the minute over which the service counts.</summary>
        private const double LimitedMs = 30000;

        private readonly Random random;
        private int tries;
        private double untilMs = double.NegativeInfinity;
        private double limitedUntilMs = double.NegativeInfinity;

        internal Backoff(Random random)
        {
            this.random = random;
        }

        internal double UntilMs
        {
            get { return Math.Max(untilMs, limitedUntilMs); }
        }

        /// <summary>Whether a request may be sent. If the game asked for it, only a rate limit holds.</summary>
        internal bool Allows(double nowMs, bool isUrgent)
        {
            return nowMs >= limitedUntilMs && (isUrgent || nowMs >= untilMs);
        }

        internal void Succeeded()
        {
            tries = 0;
            untilMs = double.NegativeInfinity;
        }

        internal void Failed(double nowMs, double atLeastMs)
        {
            var waitMs = Math.Min(FirstMs * Math.Pow(2, tries), LongestMs);
            untilMs = nowMs + Math.Max(Spread(waitMs), atLeastMs);
            tries = Math.Min(tries + 1, 20);
        }

        /// <summary>Waits long although only one try failed: nothing will change soon.</summary>
        internal void Refused(double nowMs)
        {
            untilMs = nowMs + Spread(RefusedMs);
        }

        internal void Limited(double nowMs, double? retryAfterMs)
        {
            // Never before the service allows it, and not all at once after it.
            limitedUntilMs = nowMs + (retryAfterMs ?? LimitedMs) * (1 + random.NextDouble() / 10);
        }

        /// <summary>Half fixed and half random, so that clients that failed together do not return together.</summary>
        private double Spread(double ms)
        {
            return ms / 2 + random.NextDouble() * ms / 2;
        }
    }
}
