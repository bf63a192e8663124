using System.Collections.Generic;

namespace PlayerAnalytics
{
    /// <summary>What the sender works with, and whom it tells.</summary>
    internal interface ISenderHost
    {
        SavedState State { get; }

        /// <summary>Own id of the session that the game plays; null after its end.</summary>
        string OwnSession { get; }

        string PlayerToken { get; }
        string NewId();

        /// <summary>The state was changed and has to be stored.</summary>
        void StateChanged();

        void FlagsServed(Dictionary<string, FlagState> flags, bool areAll);

        /// <summary>The service knows the session no more: the game begins another.</summary>
        void SessionGone();

        void Offer(Dictionary<string, object> intervention);
        void Drop(Entry entry, DropReason reason, string message);
        void Report(ProblemKind kind, string message);

        /// <summary>Reports a mistake of the game once.</summary>
        void Advise(string message);

        void Debug(string line);
        void TokenRefused();
    }
}
