using System;
using System.Collections.Generic;

namespace PlayerAnalytics
{
    /// <summary>
    /// Sends what players left behind who used this device before: their events would wait until they sign in again. It
    /// opens no session, and what it cannot send stays. A list in storage names the players.
    /// </summary>
    internal sealed class Leavers
    {
        private const string ListName = "players";
        private const int MostListBytes = 1024 * 1024;

        /// <summary>A device has few, and each costs a handful of requests. The oldest is forgotten.</summary>
        private const int MostPlayers = 8;

        private const int MostStateBytes = 4 * 1024 * 1024;

        private readonly StorageWorker worker;
        private readonly GameOptions options;
        private readonly DeviceClock clock;
        private readonly Random random;
        private readonly ISenderHost main;
        private readonly List<Dictionary<string, object>> waiting = new List<Dictionary<string, object>>();
        private Leaver current;
        private bool isLoading;
        private bool isStopped;

        internal Leavers(StorageWorker worker, GameOptions options, DeviceClock clock, Random random, ISenderHost main)
        {
            this.worker = worker;
            this.options = options;
            this.clock = clock;
            this.random = random;
            this.main = main;
        }

        internal bool IsSending
        {
            get { return current != null && current.Sender.IsSending; }
        }

        /// <summary>Milliseconds until <c>Tick</c> has something to do; null if there is nothing.</summary>
        internal double? DueMs
        {
            get { return current == null ? (double?)null : current.Sender.DueMs; }
        }

        /// <summary>Reads who was here, and adds this player to the list.</summary>
        internal void Begin()
        {
            worker.Do(
                storage =>
                {
                    var own = options.Registration();
                    var players = new List<object>();
                    JsonReader.TryRead(storage.Read(ListName, MostListBytes), out var read);
                    foreach (var item in read as List<object> ?? new List<object>())
                    {
                        var player = item as Dictionary<string, object>;
                        if (player.Text("external_id") == null || player.Text("external_id") == options.Player) continue;
                        players.Add(player);
                        lock (waiting) waiting.Add(player);
                    }
                    players.Add(own);
                    if (players.Count > MostPlayers) players.RemoveRange(0, players.Count - MostPlayers);
                    storage.Write(ListName, JsonWriter.Write(players));
                },
                fault => { });
        }

        /// <summary>Does a little, while the client of the present player sends nothing.</summary>
        internal void Tick(bool mayBegin)
        {
            if (isStopped) return;
            if (current == null && mayBegin) LoadNext();
            if (current == null || (!mayBegin && !current.Sender.IsSending)) return;
            current.Sender.Tick();
            current.SaveState(worker);
            if (current.IsGivenUp || current.Sender.IsIdle) current = null;
        }

        internal void Stop()
        {
            isStopped = true;
            current?.Sender.Stop();
            current = null;
        }

        private void LoadNext()
        {
            Dictionary<string, object> player;
            lock (waiting)
            {
                if (isLoading || waiting.Count == 0) return;
                player = waiting[0];
                waiting.RemoveAt(0);
            }
            isLoading = true;
            var loaded = new Leaver(player, options, worker, main);
            worker.Do(
                storage => loaded.Load(storage, MostStateBytes),
                fault =>
                {
                    isLoading = false;
                    if (fault != null || isStopped || loaded.Queue.Entries.Count == 0) return;
                    loaded.Sender = new Sender(loaded, loaded.Queue, clock, loaded.Options, random);
                    current = loaded;
                });
        }

        /// <summary>One of them: what its sender sees.</summary>
        private sealed class Leaver : ISenderHost
        {
            internal readonly GameOptions Options;
            internal readonly EventQueue Queue;
            internal Sender Sender;
            private readonly ISenderHost main;
            private readonly StorageNames names;
            private bool isStateUnsaved;

            internal Leaver(
                Dictionary<string, object> player, GameOptions its, StorageWorker worker, ISenderHost main)
            {
                this.main = main;
                Options = new GameOptions
                {
                    BaseUrl = its.BaseUrl,
                    Key = its.Key,
                    Player = player.Text("external_id"),
                    DeviceId = player.Text("device_id"),
                    Attributes = player.Object("attributes"),
                    Transport = its.Transport,
                    TimeoutMs = its.TimeoutMs,
                };
                names = new StorageNames(its.BaseUrl, its.Key, Options.Player);
                Queue = new EventQueue(worker, names.Queue, its.MaxQueued, its.MaxQueuedBytes);
                Queue.Dropped += entry => Drop(entry, DropReason.QueueFull, "The queue is full.");
            }

            public SavedState State { get; private set; } = new SavedState();

            public string OwnSession
            {
                get { return null; }
            }

            public string PlayerToken
            {
                get { return null; }
            }

            /// <summary>The service refuses it: it waits until the player is back.</summary>
            internal bool IsGivenUp { get; private set; }

            public string NewId()
            {
                return main.NewId();
            }

            public void StateChanged()
            {
                isStateUnsaved = true;
            }

            public void FlagsServed(Dictionary<string, FlagState> flags, bool areAll)
            {
            }

            public void SessionGone()
            {
            }

            public void Offer(Dictionary<string, object> intervention)
            {
            }

            public void Drop(Entry entry, DropReason reason, string message)
            {
                main.Drop(entry, reason, message);
            }

            public void Report(ProblemKind kind, string message)
            {
                IsGivenUp |= kind == ProblemKind.Unauthorized || kind == ProblemKind.Refused;
                main.Report(kind, message);
            }

            public void Advise(string message)
            {
                main.Advise(message);
            }

            public void Debug(string line)
            {
                main.Debug(line);
            }

            public void TokenRefused()
            {
            }

            internal void Load(IGameStorage storage, int mostStateBytes)
            {
                State = SavedState.From(storage.Read(names.State, mostStateBytes));
                Queue.Load(storage);
            }

            internal void SaveState(StorageWorker worker)
            {
                if (!isStateUnsaved) return;
                isStateUnsaved = false;
                var text = State.ToJson();
                worker.Do(storage => storage.Write(names.State, text), fault => { });
            }
        }
    }
}
