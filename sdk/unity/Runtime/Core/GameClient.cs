using System;
using System.Collections.Generic;

namespace PlayerAnalytics
{
    /// <summary>
    /// The game client of one player: what the game calls.
    /// Methods never throw, never block and may be called in any thread; what they cause happens with the next
    /// <see cref="Tick"/>, in the thread that calls it, and so do the events. In Unity, Tick is called every frame.
    /// </summary>
    public sealed partial class GameClient : IDisposable
    {
        private const string ConsentName = "consent";
        private const int MostStateBytes = 4 * 1024 * 1024;

        /// <summary>The end of the game waits this long for the disk.</summary>
        private const int QuitMs = 1000;

        private readonly object gate = new object();
        private readonly GameOptions options;
        private readonly DeviceClock clock;
        private readonly Random random;
        private readonly Outbox outbox = new Outbox();
        private readonly StorageWorker worker;
        private readonly IDisposable heldStorage;
        private readonly EventQueue queue;
        private readonly Host host;
        private readonly Leavers leavers;
        private readonly string initFields;
        private readonly string stateName;
        private readonly string run = Guid.NewGuid().ToString("N").Substring(0, 16);
        private int counter;
        private SavedState state = new SavedState();
        private Sender sender;
        private string own;
        private long ownSinceMs;
        private string playerToken;
        private bool isAllowed;
        private bool isOver;
        private bool isPaused;
        private bool isStateUnsaved;
        private bool isStateBeingSaved;

        /// <exception cref="ArgumentException">BaseUrl, Key or Player is missing.</exception>
        public GameClient(GameOptions options)
        {
            options.Check();
            this.options = options;
            options.Transport = options.Transport ?? new HttpTransport();
            clock = new DeviceClock(options.Clock ?? new SystemGameClock());
            random = options.Random ?? new Random(Guid.NewGuid().GetHashCode());
            playerToken = options.PlayerToken;
            var names = new StorageNames(options.BaseUrl, options.Key, options.Player);
            var storage = options.Storage ?? FolderOf(options, names);
            heldStorage = options.Storage == null ? storage as IDisposable : null;
            worker = new StorageWorker(storage, options.HasThreads);
            stateName = names.State;
            host = new Host(this);
            queue = new EventQueue(worker, names.Queue, options.MaxQueued, options.MaxQueuedBytes);
            queue.Failed += fault => Report(ProblemKind.Storage, "Storage failed; events stay in memory: " + fault.Message);
            queue.Dropped += entry => host.Drop(entry, DropReason.QueueFull, "The queue is full.");
            leavers = new Leavers(worker, options, clock, random, host);
            initFields = JsonWriter.Write(options.InitFields());
            isAllowed = !options.RequireConsent;
            Load(storage);
            if (state.Continues(initFields, clock.RawMs))
            {
                own = state.OwnSession;
                ownSinceMs = state.SinceMs;
            }
            else BeginSession();
            if (isAllowed) StartSending();
        }

        /// <summary>Queues an event.</summary>
        /// <returns>false if it is invalid, consent is missing or the client is shut down</returns>
        public bool Track(string name, IDictionary<string, object> properties = null)
        {
            lock (gate)
            {
                if (isOver || !isAllowed) return false;
                if (name == "purchase")
                {
                    Advise("An event named purchase counts no revenue: POST /v1/players/players/{id}/purchase does.");
                }
                var entry = NewEntry(EntryKind.Event);
                entry.Name = name ?? "";
                entry.Json = "";
                var fault = Tracked.NameFault(name);
                var reason = DropReason.Invalid;
                if (fault == null && properties != null) fault = Tracked.Write(properties, out entry.Json, out reason);
                if (fault == null) return Add(entry);
                host.Drop(entry, reason, fault);
                return false;
            }
        }

        /// <summary>Merges attributes of the player with the next sync; null deletes one.</summary>
        public bool SetState(IDictionary<string, object> attributes)
        {
            lock (gate)
            {
                if (isOver || !isAllowed || attributes == null) return false;
                var entry = NewEntry(EntryKind.State);
                var fault = Tracked.Write(attributes, out entry.Json, out _);
                if (fault == null) return Add(entry);
                Report(ProblemKind.Invalid, "The attributes were not set. " + fault);
                return false;
            }
        }

        /// <summary>Ends the session; the next <c>Track</c> begins another.</summary>
        public void End()
        {
            lock (gate)
            {
                if (isOver) return;
                EndSession();
                sender?.Flush(true);
            }
        }

        /// <summary>Sends what is queued with the next Tick.</summary>
        public void Flush()
        {
            lock (gate) sender?.Flush(true);
        }

        /// <summary>The app goes to the background or comes back. The next request leaves before this returns.</summary>
        public void SetPaused(bool paused)
        {
            lock (gate)
            {
                isPaused = paused;
                sender?.SetPaused(paused);
            }
            Tick();
        }

        /// <summary>Without consent everything stops, and queue and flags of this key leave the device.</summary>
        public void SetConsent(bool isGiven)
        {
            lock (gate)
            {
                if (isOver) return;
                var isChanged = isGiven != isAllowed;
                isAllowed = isGiven;
                var text = isGiven ? "given" : "denied";
                if (!isGiven && isChanged) Forget();
                worker.Do(
                    storage =>
                    {
                        storage.Write(ConsentName, text);
                        if (!isGiven) storage.RemoveOthers(ConsentName);
                    },
                    StorageDone);
                if (!isGiven || !isChanged) return;
                BeginSession();
                StartSending();
            }
        }

        /// <summary>Replaces the token that your server signed for the player.</summary>
        public void SetPlayerToken(string token)
        {
            lock (gate)
            {
                playerToken = token;
                sender?.TokenChanged();
            }
        }

        /// <summary>Does what is due, without blocking, and raises the events. Call it in one thread only.</summary>
        public void Tick()
        {
            lock (gate)
            {
                worker.Deliver();
                sender?.Tick();
                // Once this player is online.
                leavers.Tick(state.Session != null && sender != null && sender.IsIdle);
                SaveState();
            }
            outbox.Deliver();
        }

        /// <summary>
        /// Ends the session and stores what is not sent; the next start sends it. Waits for the disk at most a second,
        /// and not for the network.
        /// </summary>
        public void Dispose()
        {
            lock (gate)
            {
                if (isOver) return;
                EndSession();
                isOver = true;
                leavers.Stop();
                sender?.Stop();
                sender = null;
                // What failed before is tried once more; a write may wait for the one before it.
                for (var attempt = 0; attempt < 3; attempt += 1)
                {
                    if (isAllowed) queue.Save();
                    SaveState();
                    worker.Wait(QuitMs / 3);
                    worker.Deliver();
                }
                heldStorage?.Dispose();
            }
        }

        private static IGameStorage FolderOf(GameOptions options, StorageNames names, Action<string> failed)
        {
            if (string.IsNullOrEmpty(options.Folder)) return new MemoryStorage();
            try
            {
                return new FileStorage(System.IO.Path.Combine(options.Folder, names.Folder));
            }
            catch (Exception fault)
            {
                failed(fault.Message);
                return new MemoryStorage();
            }
        }

        private IGameStorage FolderOf(GameOptions its, StorageNames names)
        {
            return FolderOf(its, names, why => Report(ProblemKind.Storage, "The folder cannot be used: " + why));
        }

        /// <summary>Reads what an earlier run left. It is little, and the game gets its flags with the first frame.</summary>
        private void Load(IGameStorage storage)
        {
            try
            {
                var consent = storage.Read(ConsentName, 100);
                if (consent == "given" || consent == "denied") isAllowed = consent == "given";
                if (!isAllowed)
                {
                    storage.RemoveOthers(ConsentName);
                    return;
                }
                state = SavedState.From(storage.Read(stateName, MostStateBytes));
                queue.Load(storage);
            }
            catch (Exception fault)
            {
                StorageDone(fault);
            }
        }

        private void StartSending()
        {
            sender = new Sender(host, queue, clock, options, random);
            sender.SetPaused(isPaused);
            // The events of a player who has to prove its identity are sent by its own client only.
            if (playerToken == null) leavers.Begin();
        }

        private void Forget()
        {
            leavers.Stop();
            sender?.Stop();
            sender = null;
            own = null;
            queue.Clear();
            outbox.Forget();
            exposed.Clear();
            host.FlagsServed(new Dictionary<string, FlagState>(), true);
            state = new SavedState();
            isStateUnsaved = false;
        }

        private void BeginSession()
        {
            own = "own_" + NewId();
            ownSinceMs = clock.RawMs;
            state.Begin(own, initFields, ownSinceMs);
            isStateUnsaved = true;
        }

        private void EndSession()
        {
            if (own == null || !isAllowed) return;
            var entry = NewEntry(EntryKind.End);
            entry.Seconds = Math.Max(0, (long)Math.Round((clock.RawMs - ownSinceMs) / 1000.0));
            queue.Add(entry);
            own = null;
            state.End();
            isStateUnsaved = true;
        }

        private Entry NewEntry(EntryKind kind)
        {
            if (own == null) BeginSession();
            // The service's id of the session as soon as it is known.
            var session = state.Session != null && state.OwnSession == own ? state.Session : own;
            var isCorrected = clock.OffsetMs != null;
            return new Entry { Kind = kind, Id = NewId(), Session = session, AtMs = clock.NowMs, Corrected = isCorrected };
        }

        private bool Add(Entry entry)
        {
            queue.Add(entry);
            Debug(entry.Kind + " " + entry.Name);
            isStateUnsaved |= state.StillPlayed(clock.RawMs);
            if (queue.Entries.Count >= options.FlushAt || queue.Bytes >= options.FlushAtBytes) sender?.Flush(false);
            return true;
        }

        private string NewId()
        {
            counter += 1;
            return run + "-" + counter.ToString("x");
        }

        /// <summary>One write at a time, so that an older state never wins.</summary>
        private void SaveState()
        {
            if (!isStateUnsaved || isStateBeingSaved || !isAllowed) return;
            isStateUnsaved = false;
            isStateBeingSaved = true;
            var text = state.ToJson();
            worker.Do(
                storage => storage.Write(stateName, text),
                fault =>
                {
                    isStateBeingSaved = false;
                    StorageDone(fault);
                });
        }

        private void StorageDone(Exception fault)
        {
            if (fault != null) Report(ProblemKind.Storage, "Storage failed: " + fault.Message);
        }

    }
}
