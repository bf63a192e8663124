using System;

namespace PlayerAnalytics
{
    /// <summary>
    /// The time of events: the device's clock, made steady and moved to the service's. Within a run it never follows
    /// the device's clock backwards; forwards it does, because the device may have slept, and the next answer of the
    /// service corrects it.
    /// </summary>
    internal sealed class DeviceClock
    {
        /// <summary>A forward step beyond this is followed: frames and requests never take it, sleep does.</summary>
        private const double StepMs = 2000;

        /// <summary>The header Date counts whole seconds, and a request has its way to go.</summary>
        private const double ImprecisionMs = 5000;

        private readonly IGameClock device;
        private double anchorWallMs;
        private double anchorSteadyMs;

        internal DeviceClock(IGameClock device)
        {
            this.device = device;
            anchorWallMs = device.WallMs;
            anchorSteadyMs = device.SteadyMs;
        }

        /// <summary>What to add to the raw time to get the service's; null until the service answered.</summary>
        internal long? OffsetMs { get; private set; }

        internal double SteadyMs
        {
            get { return device.SteadyMs; }
        }

        /// <summary>The device's time, steady but not corrected.</summary>
        internal long RawMs
        {
            get
            {
                var nowMs = device.SteadyMs;
                var expectedMs = anchorWallMs + (nowMs - anchorSteadyMs);
                var deviceMs = device.WallMs;
                if (deviceMs - expectedMs <= StepMs) return Times.Clamp(Math.Round(expectedMs));
                anchorWallMs = deviceMs;
                anchorSteadyMs = nowMs;
                return Times.Clamp(Math.Round(deviceMs));
            }
        }

        /// <summary>The time of an event now: the service's as soon as it is known.</summary>
        internal long NowMs
        {
            get { return RawMs + (OffsetMs ?? 0); }
        }

        /// <summary>Sets the offset from a time of the service and the raw time at which it was taken.</summary>
        internal void Correct(long serverMs, double rawMs)
        {
            OffsetMs = (long)Math.Round(serverMs - rawMs);
        }

        /// <summary>Sets it only if the service's time, known to the second, differs by more than that.</summary>
        internal void Compare(long serverMs, double rawMs)
        {
            if (OffsetMs == null || Math.Abs(serverMs - rawMs - OffsetMs.Value) > ImprecisionMs) Correct(serverMs, rawMs);
        }
    }
}
