using System;
using System.Collections.Generic;

namespace PlayerAnalytics
{
    /// <summary>
    /// Sends the queue of a player: one request at a time, in order, until the service has acknowledged everything.
    /// It does a little with each <c>Tick</c> and never blocks.
    /// Invariants: 1. At most one request is under way. A request without an answer is repeated unchanged, with its
    /// Idempotency-Key, so the service answers it once. 2. An entry leaves the queue only when an answer to its request
    /// says so. 3. What is sent has been written to storage before, or storage failed; except when the app pauses.
    /// </summary>
    internal sealed partial class Sender
    {
        /// <summary>Storage that hangs must not stop the sending.</summary>
        private const double SaveMs = 2000;

        private readonly ISenderHost host;
        private readonly EventQueue queue;
        private readonly DeviceClock clock;
        private readonly Backoff backoff;
        private readonly IGameTransport transport;
        private readonly RequestMaker requests;
        private readonly GameOptions options;
        private readonly Dictionary<string, object> registration;
        private readonly Dictionary<string, object> initFields;
        private readonly bool registersAlways;

        private Call call;
        private Step pending;
        private double pendingSinceMs;
        private bool isPendingConfirmed;
        private bool isRegistered;
        private bool isDue = true;
        private bool isUrgent;
        private bool isSyncDue;
        private bool isPaused;
        private double? savingSinceMs;
        private double lastSyncMs;
        private int mostEvents = Steps.MostEvents;

        internal Sender(ISenderHost host, EventQueue queue, DeviceClock clock, GameOptions options, Random random)
        {
            this.host = host;
            this.queue = queue;
            this.clock = clock;
            this.options = options;
            transport = options.Transport;
            backoff = new Backoff(random);
            requests = new RequestMaker(options.BaseUrl, options.Key);
            registration = options.Registration();
            initFields = options.InitFields();
            registersAlways = registration.Count > 1;
            lastSyncMs = clock.SteadyMs;
            // A session that goes on has flags of an earlier run.
            isSyncDue = host.State.Session != null;
        }

        /// <summary>Nothing is under way, and nothing waits.</summary>
        internal bool IsIdle
        {
            get { return call == null && !isDue; }
        }

        internal bool IsSending
        {
            get { return call != null; }
        }

        /// <summary>Milliseconds until <c>Tick</c> has something to do that no answer brings.</summary>
        internal double DueMs
        {
            get
            {
                var nowMs = clock.SteadyMs;
                if (call != null) return Math.Max(0, call.SentMs + options.TimeoutMs - nowMs);
                if (savingSinceMs != null) return Math.Max(0, savingSinceMs.Value + SaveMs - nowMs);
                return Math.Max(0, WorkAtMs - nowMs);
            }
        }

        private double SyncAtMs
        {
            get { return lastSyncMs + options.SyncIntervalMs; }
        }

        private double WorkAtMs
        {
            get { return isDue ? backoff.UntilMs : Math.Max(SyncAtMs, backoff.UntilMs); }
        }

        /// <summary>Sends with the next <c>Tick</c>. If it is urgent it does not wait for a backoff to end.</summary>
        internal void Flush(bool urgent)
        {
            isDue = true;
            isUrgent |= urgent && backoff.Allows(clock.SteadyMs, true);
        }

        internal void SetPaused(bool paused)
        {
            isPaused = paused;
            Flush(false);
        }

        /// <summary>A new token may help at once.</summary>
        internal void TokenChanged()
        {
            backoff.Succeeded();
            Flush(false);
        }

        internal void Tick()
        {
            var nowMs = clock.SteadyMs;
            Receive(nowMs);
            if (call == null && nowMs >= SyncAtMs)
            {
                lastSyncMs = nowMs;
                isSyncDue = !isPaused;
                isDue = true;
            }
            while (isDue && call == null && SendNext(nowMs))
            {
                // A transport without a network may have answered already.
                Receive(nowMs);
            }
            if (call == null && savingSinceMs == null) isUrgent = false;
        }

        internal void Stop()
        {
            call?.Abort();
            call = null;
        }

        /// <summary>Whether to look for more work.</summary>
        private bool SendNext(double nowMs)
        {
            if (!backoff.Allows(nowMs, isUrgent)) return false;
            if (!isPaused && !IsSaved(nowMs)) return false;
            var step = pending ?? Next();
            if (step == null)
            {
                isDue = false;
                return false;
            }
            if (pending == null)
            {
                pending = step;
                pendingSinceMs = clock.RawMs;
                isPendingConfirmed = false;
            }
            var pinned = new HashSet<string>();
            foreach (var entry in step.Entries) pinned.Add(entry.Id);
            queue.Pin(pinned);
            call = new Call(nowMs, clock.RawMs);
            call.Send(transport, requests.Of(step, host.PlayerToken));
            return true;
        }

        /// <summary>Whether everything is stored, or is not waited for any longer.</summary>
        private bool IsSaved(double nowMs)
        {
            if (!queue.IsSaved && savingSinceMs == null)
            {
                savingSinceMs = nowMs;
                queue.Save();
            }
            var isOver = queue.IsSaved || queue.IsFailing || nowMs - savingSinceMs >= SaveMs;
            if (!isOver) return false;
            savingSinceMs = null;
            return true;
        }

        private Step Next()
        {
            var state = host.State;
            if (state.PlayerId == null || (registersAlways && !isRegistered)) return Steps.Register(registration);
            var own = host.OwnSession;
            var steps = new Steps(state, own, clock.OffsetMs ?? 0, mostEvents, host.NewId);
            if (own != null && steps.Current == null) return Steps.Init(own, state.PlayerId, initFields);
            var settled = steps.SettledEnds(queue.Entries);
            if (settled.Count > 0) queue.Remove(settled);
            var step = steps.Next(queue.Entries);
            if (step != null || !isSyncDue || steps.Current == null) return step;
            return steps.Sync(new List<Entry>(), new List<Entry>(), steps.Current);
        }

        /// <summary>Takes in the answer, if there is one or none came in time.</summary>
        private void Receive(double nowMs)
        {
            if (call == null) return;
            var answer = call.Answer;
            if (answer == null && nowMs - call.SentMs < options.TimeoutMs) return;
            var ended = call;
            call = null;
            if (answer == null)
            {
                ended.Abort();
                answer = new GameAnswer { Fault = "No answer within " + options.TimeoutMs + " ms." };
            }
            var outcome = Outcome.Of(pending.Path, answer, clock.RawMs);
            host.Debug(pending.Path + ": " + outcome.Kind + " " + outcome.Message);
            if (outcome.Ignored != null) host.Advise("The service ignored " + outcome.Ignored + ": client keys may not set it.");
            var middleMs = (ended.SentRawMs + clock.RawMs) / 2.0;
            // The header counts whole seconds: the middle of its second is the best guess.
            if (outcome.ServerMs != null) clock.Compare(outcome.ServerMs.Value + 500, middleMs);
            isDue = true;
            if (!Conclude(pending, outcome, middleMs, nowMs)) isUrgent = false;
            if (pending == null) queue.Pin(new HashSet<string>());
        }

        /// <summary>Takes in an outcome. Whether it was a success.</summary>
        private bool Conclude(Step step, Outcome outcome, double middleMs, double nowMs)
        {
            switch (outcome.Kind)
            {
                case OutcomeKind.Limited:
                    host.Report(ProblemKind.RateLimit, "The service refused a request: too many in this minute.");
                    backoff.Limited(nowMs, outcome.RetryAfterMs);
                    return false;
                case OutcomeKind.Failed:
                    host.Report(Problem.KindOf(outcome.Reason), outcome.Message);
                    backoff.Failed(nowMs, outcome.RetryAfterMs ?? 0);
                    return false;
                case OutcomeKind.Refused:
                    return Refused(step, outcome, nowMs);
                default:
                    if (outcome.Data != null && Accept(step, outcome, middleMs, nowMs)) return true;
                    host.Report(ProblemKind.BadAnswer, step.Path + " was answered with something else.");
                    backoff.Failed(nowMs, 0);
                    return false;
            }
        }

        /// <summary>Whether the answer is one to this step.</summary>
        private bool Accept(Step step, Outcome outcome, double middleMs, double nowMs)
        {
            var state = host.State;
            if (step.Kind == StepKind.Register)
            {
                var playerId = Answers.ReadPlayerId(outcome.Data, options.Player);
                if (playerId == null) return false;
                backoff.Succeeded();
                isRegistered = true;
                state.PlayerId = playerId;
                host.StateChanged();
            }
            else if (step.Kind == StepKind.Init)
            {
                var opened = Answers.ReadInit(outcome.Data, state.PlayerId);
                if (opened == null) return false;
                backoff.Succeeded();
                // A replayed answer carries the time of the first attempt.
                clock.Correct(opened.ServerMs, outcome.IsReplayed ? pendingSinceMs : middleMs);
                state.Open(step.Session, opened.Session);
                state.Segments = opened.Segments;
                host.FlagsServed(opened.Flags, true);
                host.StateChanged();
                isSyncDue = false;
                lastSyncMs = nowMs;
            }
            else
            {
                var settlement = Answers.Settle(step, outcome.Data);
                if (settlement == null) return false;
                var isWhole = !settlement.HasUnavailable && !settlement.IsPlayerUnknown;
                if (isWhole) backoff.Succeeded();
                // Fewer than were sent: repeats, or an answer to another request. The same again tells them apart.
                if (settlement.Unnamed > 0 && !isPendingConfirmed)
                {
                    isPendingConfirmed = true;
                    return true;
                }
                Apply(step, settlement, nowMs);
            }
            pending = null;
            return true;
        }

        private void Apply(Step step, Settlement settlement, double nowMs)
        {
            queue.Remove(settlement.Done);
            mostEvents = Math.Min(mostEvents * 2, Steps.MostEvents);
            foreach (var each in settlement.Rejected) host.Drop(each.Entry, DropReason.Rejected, each.Message);
            foreach (var entry in settlement.Quarantined)
            {
                var message = "The event " + entry.Name + " (" + entry.Id + ") breaks its schema; it is kept apart.";
                host.Report(ProblemKind.Quarantined, message);
            }
            if (settlement.IsPlayerUnknown) ForgetPlayer();
            if (settlement.HasUnavailable || settlement.IsPlayerUnknown)
            {
                // Also a flush of the game waits: otherwise the same request would follow at once, again and again.
                isUrgent = false;
                backoff.Failed(nowMs, 0);
            }
            if (step.Kind == StepKind.End) Over(step.Session);
            if (step.Kind == StepKind.Record)
            {
                host.State.Record(step.Session);
                host.StateChanged();
            }
            if (!settlement.IsSync) return;
            isSyncDue = false;
            lastSyncMs = nowMs;
            host.FlagsServed(settlement.Flags, false);
            foreach (var each in settlement.Interventions) host.Offer(each);
        }
    }
}
