using System.Collections.Generic;

namespace PlayerAnalytics
{
    /// <content>What the client says: to listeners, and to the log where `debug` is on or no listener is set.</content>
    public sealed partial class GameClient
    {
        private const int MostTexts = 100;

        private readonly HashSet<string> said = new HashSet<string>();

        /// <summary>The service has said in this run what flags there are.</summary>
        private bool hasFlags;

        private void Report(ProblemKind kind, string message)
        {
            var line = kind + ": " + message;
            Debug(line);
            if (!options.Debug && !outbox.HasProblemListener && IsWarned(kind) && IsNew(line)) Write(line);
            outbox.Add(kind, message);
        }

        /// <summary>Reports a mistake of the game once.</summary>
        private void Advise(string message)
        {
            lock (gate)
            {
                if (IsNew(message)) Report(ProblemKind.Usage, message);
            }
        }

        private void Debug(string line)
        {
            if (options.Debug) Write(line);
        }

        private void Write(string line)
        {
            options.Log?.Invoke("Player Analytics: " + line);
        }

        private bool IsNew(string text)
        {
            return said.Count < MostTexts && said.Add(text);
        }

        /// <summary>What only the game's developer can mend: without a listener it would stay unseen.</summary>
        private static bool IsWarned(ProblemKind kind)
        {
            return kind == ProblemKind.Usage || kind == ProblemKind.Unauthorized || kind == ProblemKind.Refused
                || kind == ProblemKind.Invalid;
        }
    }
}
