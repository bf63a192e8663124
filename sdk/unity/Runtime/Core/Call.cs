using System;

namespace PlayerAnalytics
{
    /// <summary>A request under way. Its answer may come in any thread; the sender looks for it.</summary>
    internal sealed class Call
    {
        internal readonly double SentMs;
        internal readonly long SentRawMs;
        private volatile GameAnswer answer;
        private IDisposable request;

        internal Call(double sentMs, long sentRawMs)
        {
            SentMs = sentMs;
            SentRawMs = sentRawMs;
        }

        /// <summary>null until there is one.</summary>
        internal GameAnswer Answer
        {
            get { return answer; }
        }

        internal void Send(IGameTransport transport, GameRequest sent)
        {
            try
            {
                request = transport.Send(sent, received => answer = received);
            }
            catch (Exception fault)
            {
                answer = new GameAnswer { Fault = fault.Message };
            }
        }

        internal void Abort()
        {
            try
            {
                request?.Dispose();
            }
            catch (ObjectDisposedException)
            {
                // It was over already.
            }
        }
    }
}
