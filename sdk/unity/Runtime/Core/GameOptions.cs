using System;
using System.Collections.Generic;

namespace PlayerAnalytics
{
    /// <summary>How a <see cref="GameClient"/> is started.</summary>
    public sealed class GameOptions
    {
        /// <summary>Where the service is, for example <c>https://analytics.example.com</c>.</summary>
        public string BaseUrl;

        /// <summary>A client key, <c>pk_…</c>. It ships with the game and is public.</summary>
        public string Key;

        /// <summary>Your own id of the player: <c>external_id</c>.</summary>
        public string Player;

        /// <summary>Sent with the registration.</summary>
        public string DeviceId;

        /// <summary>Sent with the registration.</summary>
        public IDictionary<string, object> Attributes;

        /// <summary>Members: <c>platform</c>, <c>os_version</c>, <c>app_version</c>, <c>device_model</c>.</summary>
        public IDictionary<string, object> Device;

        /// <summary>Only these flags; all when absent.</summary>
        public IList<string> Flags;

        /// <summary>A token that your server signed for the player. See <see cref="GameClient.SetPlayerToken"/>.</summary>
        public string PlayerToken;

        /// <summary>Nothing is stored or sent before <c>SetConsent(true)</c>. A stored decision counts in any case.</summary>
        public bool RequireConsent;

        /// <summary>The folder of the queue. Without one, or if it cannot be used, the queue is kept in memory.</summary>
        public string Folder;

        /// <summary>Between syncs. Well below the 30 minutes after which the service ends a silent session.</summary>
        public int SyncIntervalMs = 30000;

        /// <summary>Entries that are sent at once: of the 50 of a request, so that those tracked meanwhile fit.</summary>
        public int FlushAt = 30;

        /// <summary>Bytes that are sent at once: half of a request.</summary>
        public int FlushAtBytes = 30000;

        /// <summary>Entries that wait at most: a player's few hours offline. Then the oldest are dropped.</summary>
        public int MaxQueued = 2000;

        /// <summary>Bytes that wait at most.</summary>
        public int MaxQueuedBytes = 2 * 1024 * 1024;

        /// <summary>To wait for an answer: the service answers in milliseconds, or says 503 after 10 seconds.</summary>
        public int TimeoutMs = 15000;

        /// <summary>Where there are no threads (WebGL), storage is used in the calling thread.</summary>
        public bool HasThreads = true;

        /// <summary>By default <c>HttpClient</c>; the layer for Unity sets its own.</summary>
        public IGameTransport Transport;

        /// <summary>Replaces the folder; it is taken to be this client's alone.</summary>
        public IGameStorage Storage;

        public IGameClock Clock;

        /// <summary>For waits and ids; tests pass their own.</summary>
        public Random Random;

        internal Dictionary<string, object> Registration()
        {
            var fields = new Dictionary<string, object> { { "external_id", Player } };
            if (DeviceId != null) fields["device_id"] = DeviceId;
            if (Attributes != null) fields["attributes"] = Attributes;
            return fields;
        }

        internal Dictionary<string, object> InitFields()
        {
            var fields = new Dictionary<string, object>();
            if (Device != null) fields["device_info"] = Device;
            if (Flags != null) fields["requested_flags"] = Flags;
            return fields;
        }

        /// <summary>A client without these can never send anything: a fault of the program.</summary>
        internal void Check()
        {
            foreach (var text in new[] { BaseUrl, Key, Player })
            {
                if (string.IsNullOrEmpty(text)) throw new ArgumentException("BaseUrl, Key and Player must be texts.");
            }
        }
    }

    public enum DropReason
    {
        QueueFull,
        Invalid,
        TooLarge,
        Rejected,
    }

    /// <summary>An event that will not reach the service, and why.</summary>
    public sealed class DroppedEvent
    {
        public string Id { get; internal set; }
        public string Name { get; internal set; }
        public DropReason Reason { get; internal set; }
        public string Message { get; internal set; }
    }

    public enum ProblemKind
    {
        Storage,
        Network,
        Service,
        RateLimit,
        Unauthorized,
        BadAnswer,
        Refused,
        Quarantined,
        Listener,
        Invalid,
    }

    /// <summary>What went wrong without stopping the game; for logs.</summary>
    public sealed class Problem
    {
        public ProblemKind Kind { get; internal set; }
        public string Message { get; internal set; }

        internal static ProblemKind KindOf(string reason)
        {
            return reason == "network" ? ProblemKind.Network
                : reason == "service" ? ProblemKind.Service
                : ProblemKind.BadAnswer;
        }
    }

    /// <summary>A message of a campaign for the player.</summary>
    public sealed class Intervention
    {
        public string Id { get; internal set; }

        /// <summary>The texts and parameters of the message.</summary>
        public IReadOnlyDictionary<string, object> Content { get; internal set; }

        /// <summary>The message as the service sent it.</summary>
        public IReadOnlyDictionary<string, object> Fields { get; internal set; }
    }
}
