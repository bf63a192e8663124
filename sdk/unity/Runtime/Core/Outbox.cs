using System;
using System.Collections.Generic;

namespace PlayerAnalytics
{
    /// <summary>
    /// Calls of the game's listeners that wait for the next Tick, so that they run in the thread of the game and outside
    /// of the client's lock.
    /// </summary>
    internal sealed class Outbox
    {
        /// <summary>
        /// As many as a queue has events. Beyond it the oldest are dropped, so that a game that does not tick does not
        /// fill its memory.
        /// </summary>
        private const int MostWaiting = 2000;

        /// <summary>Messages that wait for a first listener.</summary>
        private const int MostMessages = 20;

        private readonly object gate = new object();
        private readonly Queue<Item> waiting = new Queue<Item>();
        private readonly Queue<Intervention> messages = new Queue<Intervention>();

        internal event Action<string, FlagState> FlagChanged;
        internal event Action<Intervention> InterventionOffered;
        internal event Action<DroppedEvent> EventDropped;
        internal event Action<Problem> ProblemReported;
        internal event Action PlayerTokenRefused;

        internal bool HasProblemListener
        {
            get { return ProblemReported != null; }
        }

        internal void Add(string flagKey, FlagState flag)
        {
            Add(() => FlagChanged?.Invoke(flagKey, flag));
        }

        internal void Add(Entry entry, DropReason reason, string message)
        {
            var dropped = new DroppedEvent { Id = entry.Id, Name = entry.Name, Reason = reason, Message = message };
            Add(() => EventDropped?.Invoke(dropped));
        }

        internal void Add(ProblemKind kind, string message)
        {
            var problem = new Problem { Kind = kind, Message = message };
            Add(new Item { Tell = () => ProblemReported?.Invoke(problem), IsProblem = true });
        }

        internal void AddTokenRefusal()
        {
            Add(() => PlayerTokenRefused?.Invoke());
        }

        internal void Add(Dictionary<string, object> message)
        {
            var offered = new Intervention
            {
                Id = message.Text("intervention_id"),
                Content = message.Object("content"),
                Fields = message,
            };
            lock (gate)
            {
                messages.Enqueue(offered);
                if (messages.Count > MostMessages) messages.Dequeue();
            }
        }

        internal void Forget()
        {
            lock (gate) messages.Clear();
        }

        internal void Deliver()
        {
            for (var next = Take(); next != null; next = Take())
            {
                try
                {
                    next.Tell();
                }
                catch (Exception fault)
                {
                    // A listener of problems that throws cannot be reported to itself.
                    if (!next.IsProblem) Add(ProblemKind.Listener, "A listener failed: " + fault.Message);
                }
            }
        }

        private Item Take()
        {
            lock (gate)
            {
                if (waiting.Count > 0) return waiting.Dequeue();
                if (InterventionOffered == null || messages.Count == 0) return null;
                var message = messages.Dequeue();
                return new Item { Tell = () => InterventionOffered?.Invoke(message) };
            }
        }

        private void Add(Action tell)
        {
            Add(new Item { Tell = tell });
        }

        private void Add(Item item)
        {
            lock (gate)
            {
                waiting.Enqueue(item);
                if (waiting.Count > MostWaiting) waiting.Dequeue();
            }
        }

        private sealed class Item
        {
            internal Action Tell;
            internal bool IsProblem;
        }
    }
}
