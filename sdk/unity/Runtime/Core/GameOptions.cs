using System;
using System.Collections.Generic;
using System.Text.RegularExpressions;

namespace PlayerAnalytics
{
    /// <summary>How a <see cref="GameClient"/> is started.</summary>
    public sealed class GameOptions
    {
        /// <summary>What programs make of an id that they do not have.</summary>
        private const string NoId = @"^\s*(undefined|null|nan|n/a|\[object \w+\]|0{8}-(0{4}-){3}0{12})?\s*$";

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

        /// <summary>Members: <c>platform</c>, <c>os_version</c>, <c>app_version</c>, <c>build</c>, <c>device_model</c>.</summary>
        public IDictionary<string, object> Device;

        /// <summary>Only these flags; all when absent.</summary>
        public IList<string> Flags;

        /// <summary>A token that your server signed for the player. See <see cref="GameClient.SetPlayerToken"/>.</summary>
        public string PlayerToken;

        /// <summary>Nothing is stored or sent before <c>SetConsent(true)</c>. A stored decision counts in any case.</summary>
        public bool RequireConsent;

        /// <summary>The folder of the queue. Without one, or if it cannot be used, the queue is kept in memory.</summary>
        public string Folder;

        /// <summary>Writes to <c>Log</c> what the client does.</summary>
        public bool Debug;

        /// <summary>
        /// Gets lines of <c>Debug</c>, and mistakes that only you can correct if no listener is set. In any
        /// thread; it must not call the client.
        /// </summary>
        public Action<string> Log = Console.WriteLine;

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

        /// <summary>What makes a client useless from the start, each with a text of its own.</summary>
        internal void Check()
        {
            var fault = Fault();
            if (fault != null) throw new ArgumentException(fault);
        }

        private string Fault()
        {
            if (string.IsNullOrEmpty(BaseUrl))
            {
                return "BaseUrl is missing: the service's address, such as https://analytics.example.com.";
            }
            if (!Regex.IsMatch(BaseUrl, "^https?://."))
            {
                return "BaseUrl is no address: \"" + BaseUrl + "\" does not begin with https:// or http://.";
            }
            if (string.IsNullOrEmpty(Key)) return "Key is missing: a client key of the game, pk_…";
            if (Key.StartsWith("sk_", StringComparison.Ordinal))
            {
                return "Key is a server key: players could read and use it. Use a client key, pk_…";
            }
            if (!Regex.IsMatch(Key, "^pk_[A-Za-z0-9_-]+$")) return "Key is no client key: copy it whole; it begins with pk_.";
            if (string.IsNullOrEmpty(Player)) return "Player is missing: your own id of the player.";
            return Regex.IsMatch(Player, NoId, RegexOptions.IgnoreCase)
                ? "Player is \"" + Player + "\", which would be many people: start when the id is known."
                : null;
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

        /// <summary>The game does something in vain; said once.</summary>
        Usage,
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
