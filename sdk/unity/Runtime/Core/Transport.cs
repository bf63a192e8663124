using System;
using System.Collections.Generic;
using System.Globalization;
using System.Text;

namespace PlayerAnalytics
{
    internal enum OutcomeKind
    {
        Answered,

        /// <summary>The service understood the request and refuses it: a repeat changes nothing.</summary>
        Refused,

        Limited,

        /// <summary>No answer, a temporary failure, or an answer that is not the service's.</summary>
        Failed,
    }

    /// <summary>What an answer means.</summary>
    internal sealed class Outcome
    {
        internal OutcomeKind Kind;

        /// <summary>Of a failure: <c>network</c>, <c>service</c> or <c>bad-answer</c>.</summary>
        internal string Reason;

        internal string Message;
        internal Dictionary<string, object> Data;
        internal bool IsReplayed;

        /// <summary>The service's time of an answer, known to the second.</summary>
        internal long? ServerMs;

        internal double? RetryAfterMs;

        /// <summary>Names of fields that the service ignored; null if there are none.</summary>
        internal string Ignored;

        internal int Status;
        internal string Code;
        internal Dictionary<string, object> Details;

        /// <summary>Bounds the effect of a faulty Retry-After.</summary>
        private const double LongestWaitMs = 3600000;

        internal static Outcome Failure(string reason, string message, double? retryAfterMs = null)
        {
            return new Outcome
            {
                Kind = OutcomeKind.Failed,
                Reason = reason,
                Message = message,
                RetryAfterMs = retryAfterMs,
            };
        }

        internal static Outcome Of(string path, GameAnswer answer, long nowMs)
        {
            if (answer.Fault != null) return Failure("network", answer.Fault);
            var status = answer.Status;
            var serverMs = Times.Parse(answer.Header("Date"));
            var retryAfterMs = WaitOf(answer.Header("Retry-After"), serverMs ?? nowMs);
            if (status == 429) return new Outcome { Kind = OutcomeKind.Limited, RetryAfterMs = retryAfterMs };
            var message = path + " answered " + status.ToString(CultureInfo.InvariantCulture);
            if (status >= 500) return Failure("service", message + ".", retryAfterMs);
            var envelope = JsonReader.ReadObject(answer.Text);
            if (status >= 200 && status < 300 && envelope.Get("success") is bool isSuccess && isSuccess)
            {
                return new Outcome
                {
                    Kind = OutcomeKind.Answered,
                    Data = envelope.Object("data"),
                    IsReplayed = answer.Header("Idempotent-Replayed") == "true",
                    ServerMs = serverMs,
                    Ignored = answer.Header("X-Ignored-Fields"),
                };
            }
            var error = envelope.Object("error");
            var code = error.Text("code");
            if (status < 400 || code == null)
            {
                return Failure("bad-answer", message + " without the service's JSON; check the address.");
            }
            return new Outcome
            {
                Kind = OutcomeKind.Refused,
                Status = status,
                Code = code,
                Message = error.Text("message") ?? "",
                Details = error.Object("details"),
            };
        }

        /// <summary>The time to wait by a Retry-After in seconds or as a date; null if there is none.</summary>
        private static double? WaitOf(string header, long nowMs)
        {
            if (string.IsNullOrEmpty(header)) return null;
            double waitMs;
            if (double.TryParse(header, NumberStyles.Float, CultureInfo.InvariantCulture, out var seconds))
            {
                waitMs = seconds * 1000;
            }
            else
            {
                var date = Times.Parse(header);
                if (date == null) return null;
                waitMs = date.Value - nowMs;
            }
            return double.IsNaN(waitMs) ? (double?)null : Math.Min(Math.Max(0, waitMs), LongestWaitMs);
        }
    }

    /// <summary>Makes requests of steps.</summary>
    internal sealed class RequestMaker
    {
        /// <summary>
        /// More than the flags of any game and a sync's messages; little enough for a phone's memory.
        /// </summary>
        private const int MostAnswerBytes = 4 * 1024 * 1024;

        private readonly string baseUrl;
        private readonly string key;

        internal RequestMaker(string baseUrl, string key)
        {
            this.baseUrl = baseUrl.TrimEnd('/');
            this.key = key;
        }

        /// <param name="playerToken">null if the service asks for none</param>
        internal GameRequest Of(Step step, string playerToken)
        {
            var headers = new Dictionary<string, string>
            {
                { "Content-Type", "application/json" },
                { "X-API-Key", key },
            };
            if (step.IdempotencyKey != null) headers["Idempotency-Key"] = step.IdempotencyKey;
            if (playerToken != null) headers["X-Player-Token"] = playerToken;
            return new GameRequest
            {
                Url = baseUrl + step.Path,
                Body = Encoding.UTF8.GetBytes(step.Body),
                Headers = headers,
                MostAnswerBytes = MostAnswerBytes,
            };
        }
    }
}
