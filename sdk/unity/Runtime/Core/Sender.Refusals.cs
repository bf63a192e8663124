using System;
using System.Collections.Generic;

namespace PlayerAnalytics
{
    /// <content>What a refused request means for what is in it.</content>
    internal sealed partial class Sender
    {
        private bool Refused(Step step, Outcome refusal, double nowMs)
        {
            var settlement = step.Kind == StepKind.Batch ? Answers.Settle(step, refusal.Details) : null;
            if (settlement != null)
            {
                pending = null;
                Apply(step, settlement, nowMs);
                return true;
            }
            if (refusal.Code == "SESSION_NOT_FOUND" && step.Session.Length > 0)
            {
                pending = null;
                Over(step.Session);
                return true;
            }
            var isAboutBody = refusal.Status == 413 || refusal.Status == 400 || refusal.Status == 422;
            if (isAboutBody && Divide(step, refusal)) return true;
            var isUnauthorized = refusal.Status == 401 || refusal.Status == 403;
            host.Report(
                isUnauthorized ? ProblemKind.Unauthorized : ProblemKind.Refused,
                step.Path + " was refused with " + refusal.Status + " " + refusal.Code + ": " + refusal.Message);
            if (isUnauthorized && host.PlayerToken != null) host.TokenRefused();
            var isUnknown = refusal.Code == "PLAYER_NOT_FOUND";
            if (isUnknown) ForgetPlayer();
            if (!isUnknown && refusal.Code != "CONFLICT")
            {
                backoff.Refused(nowMs);
                return false;
            }
            // A new request gets a new Idempotency-Key: with the old one a conflict would last.
            pending = null;
            backoff.Failed(nowMs, 0);
            return false;
        }

        /// <summary>A request that the service cannot take: half of it is next, or what is at fault is dropped.</summary>
        private bool Divide(Step step, Outcome refusal)
        {
            var faulty = step.AtFault(refusal.Details, out var isSome);
            if (faulty == null) return false;
            pending = null;
            if (isSome)
            {
                mostEvents = Math.Max(1, step.Events.Count / 2);
                return true;
            }
            var ids = new HashSet<string>();
            foreach (var entry in faulty) ids.Add(entry.Id);
            queue.Remove(ids);
            var reason = refusal.Status == 413 ? DropReason.TooLarge : DropReason.Rejected;
            foreach (var entry in faulty) host.Drop(entry, reason, refusal.Message);
            if (step.Kind != StepKind.Record) return true;
            host.State.Record(step.Session);
            host.StateChanged();
            return true;
        }

        /// <summary>
        /// A session that a killed run had ended may be the one that this run continued: the game plays another one.
        /// </summary>
        private void Over(string id)
        {
            var isCurrent = host.State.Session == id;
            host.State.Close(id);
            host.StateChanged();
            if (isCurrent) host.SessionGone();
        }

        private void ForgetPlayer()
        {
            isRegistered = false;
            host.State.ForgetPlayer();
            host.StateChanged();
            host.SessionGone();
        }
    }
}
