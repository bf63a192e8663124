using System;
using System.Collections.Generic;
using System.Threading;

namespace PlayerAnalytics
{
    /// <summary>
    /// Does the work on storage: one piece after another, in a thread that ends when there is none. Where there are no
    /// threads (WebGL) each piece is done at once.
    /// </summary>
    internal sealed class StorageWorker
    {
        private readonly IGameStorage storage;
        private readonly bool hasThreads;
        private readonly Queue<Piece> waiting = new Queue<Piece>();
        private readonly Queue<Piece> finished = new Queue<Piece>();
        private bool isRunning;

        internal StorageWorker(IGameStorage storage, bool hasThreads)
        {
            this.storage = storage;
            this.hasThreads = hasThreads;
        }

        /// <summary>Whether a piece waits, or its end has not been reported.</summary>
        internal bool IsBusy
        {
            get { lock (waiting) return isRunning || waiting.Count > 0 || finished.Count > 0; }
        }

        /// <summary><c>done</c> is called by <c>Deliver</c>, with null or what went wrong.</summary>
        internal void Do(Action<IGameStorage> work, Action<Exception> done)
        {
            lock (waiting)
            {
                waiting.Enqueue(new Piece { Work = work, Done = done });
                if (isRunning) return;
                isRunning = true;
            }
            if (!hasThreads)
            {
                Run();
                return;
            }
            var thread = new Thread(Run) { IsBackground = true, Name = "player-analytics storage" };
            thread.Start();
        }

        /// <summary>Tells in the calling thread what is finished.</summary>
        internal void Deliver()
        {
            for (;;)
            {
                Piece piece;
                lock (waiting)
                {
                    if (finished.Count == 0) return;
                    piece = finished.Dequeue();
                }
                piece.Done(piece.Fault);
            }
        }

        /// <summary>Blocks until nothing waits, at most for the given time.</summary>
        internal void Wait(int mostMs)
        {
            lock (waiting)
            {
                var until = DateTime.UtcNow.AddMilliseconds(mostMs);
                while (isRunning)
                {
                    var left = (int)(until - DateTime.UtcNow).TotalMilliseconds;
                    if (left <= 0 || !Monitor.Wait(waiting, left)) return;
                }
            }
        }

        private void Run()
        {
            for (;;)
            {
                Piece piece;
                lock (waiting)
                {
                    if (waiting.Count == 0)
                    {
                        isRunning = false;
                        Monitor.PulseAll(waiting);
                        return;
                    }
                    piece = waiting.Dequeue();
                }
                try
                {
                    piece.Work(storage);
                }
                catch (Exception fault)
                {
                    piece.Fault = fault;
                }
                lock (waiting) finished.Enqueue(piece);
            }
        }

        private sealed class Piece
        {
            internal Action<IGameStorage> Work;
            internal Action<Exception> Done;
            internal Exception Fault;
        }
    }
}
