using System;
using System.Collections.Generic;

namespace PlayerAnalytics
{
    /// <summary>Where the time comes from.</summary>
    public interface IGameClock
    {
        /// <summary>The device's clock, ms since 1970. It may be wrong, and may jump.</summary>
        double WallMs { get; }

        /// <summary>Milliseconds since any moment; never goes back.</summary>
        double SteadyMs { get; }
    }

    /// <summary>
    /// Where the queue and the flags are kept: texts by name. Methods block, and throw if storage fails; the client
    /// calls them one after another, away from the main thread where there are threads.
    /// </summary>
    public interface IGameStorage
    {
        /// <summary>The text; null if there is none, or if it is longer than the given bytes.</summary>
        string Read(string name, int mostBytes);

        /// <summary>Replaces the text as a whole: a crash leaves the old one or the new one.</summary>
        void Write(string name, string text);

        /// <summary>Adds to the end; written to the disk when it returns.</summary>
        void Append(string name, string text);

        void Remove(string name);

        /// <summary>Removes everything but the given name.</summary>
        void RemoveOthers(string name);
    }

    /// <summary>One request: always a POST of JSON.</summary>
    public sealed class GameRequest
    {
        public string Url;
        public byte[] Body;
        public Dictionary<string, string> Headers;

        /// <summary>Longer answers are not read to their end.</summary>
        public int MostAnswerBytes;
    }

    public sealed class GameAnswer
    {
        /// <summary>Why there is no answer; null if there is one.</summary>
        public string Fault;

        public int Status;
        public string Text;

        /// <summary>The value of a header, by its name in any case; null if it is absent.</summary>
        public Func<string, string> Header;
    }

    /// <summary>
    /// Sends requests without blocking and without following redirections. <c>done</c> is called once, on any thread,
    /// also after an abort or not at all then. Disposing the result aborts.
    /// </summary>
    public interface IGameTransport
    {
        IDisposable Send(GameRequest request, Action<GameAnswer> done);
    }
}
