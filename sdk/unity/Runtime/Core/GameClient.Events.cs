using System;
using System.Collections.Generic;

namespace PlayerAnalytics
{
    /// <content>What a game listens to and reads.</content>
    public sealed partial class GameClient
    {
        /// <summary>A flag has another value. Its value is null if the player gets none any more.</summary>
        public event Action<string, FlagState> FlagChanged
        {
            add { outbox.FlagChanged += value; }
            remove { outbox.FlagChanged -= value; }
        }

        /// <summary>A campaign has a message for the player. What comes before there is a listener waits for it.</summary>
        public event Action<Intervention> InterventionOffered
        {
            add { outbox.InterventionOffered += value; }
            remove { outbox.InterventionOffered -= value; }
        }

        /// <summary>An event will not reach the service.</summary>
        public event Action<DroppedEvent> EventDropped
        {
            add { outbox.EventDropped += value; }
            remove { outbox.EventDropped -= value; }
        }

        /// <summary>Something failed and will be tried again, or is worth a line in a log.</summary>
        public event Action<Problem> ProblemReported
        {
            add { outbox.ProblemReported += value; }
            remove { outbox.ProblemReported -= value; }
        }

        /// <summary>The service refuses the player token: get another one and pass it to SetPlayerToken.</summary>
        public event Action PlayerTokenRefused
        {
            add { outbox.PlayerTokenRefused += value; }
            remove { outbox.PlayerTokenRefused -= value; }
        }

        /// <summary>The session by the service; null before it has opened it and after its end.</summary>
        public string SessionId
        {
            get { lock (gate) return own != null && state.OwnSession == own ? state.Session : null; }
        }

        /// <summary>The player's id by the service; null before the first registration.</summary>
        public string PlayerId
        {
            get { lock (gate) return state.PlayerId; }
        }

        /// <summary>Keys of the segments that the player was in at the start of the session.</summary>
        public IReadOnlyList<string> Segments
        {
            get { lock (gate) return state.Segments.ToArray(); }
        }

        /// <summary>The time of the service, ms since 1970.</summary>
        public long NowMs
        {
            get { lock (gate) return clock.NowMs; }
        }

        internal bool IsSending
        {
            get { lock (gate) return (sender != null && sender.IsSending) || leavers.IsSending; }
        }

        internal bool IsSaving
        {
            get { return worker.IsBusy; }
        }

        /// <summary>Milliseconds until the next timer; null if there is none.</summary>
        internal double? DueMs
        {
            get
            {
                lock (gate)
                {
                    if (sender == null) return null;
                    var waits = sender.IsSending && !leavers.IsSending;
                    return waits || leavers.DueMs == null ? sender.DueMs : System.Math.Min(sender.DueMs, leavers.DueMs.Value);
                }
            }
        }
    }
}
