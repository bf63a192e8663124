using System;
using System.IO;
using System.Text;
using UnityEngine.Networking;

namespace PlayerAnalytics.Unity
{
    /// <summary>
    /// Sends with UnityWebRequest: it works on every platform, and uses the platform's certificates and proxies. Unity
    /// wants it to be used in the main thread, which is where the client ticks.
    /// </summary>
    public sealed class UnityTransport : IGameTransport
    {
        public IDisposable Send(GameRequest request, Action<GameAnswer> done)
        {
            var body = new BoundedHandler(request.MostAnswerBytes);
            var sent = new UnityWebRequest(request.Url, UnityWebRequest.kHttpVerbPOST)
            {
                uploadHandler = new UploadHandlerRaw(request.Body),
                downloadHandler = body,
                redirectLimit = 0,
            };
            foreach (var header in request.Headers) sent.SetRequestHeader(header.Key, header.Value);
            var running = new Running(sent);
            sent.SendWebRequest().completed += _ =>
            {
                if (running.IsDisposed) return;
                done(AnswerOf(sent, body));
                running.Dispose();
            };
            return running;
        }

        private static GameAnswer AnswerOf(UnityWebRequest sent, BoundedHandler body)
        {
            if (body.IsTooLong) return new GameAnswer { Fault = "The answer is too long." };
            var isAnswered = sent.result == UnityWebRequest.Result.Success
                || sent.result == UnityWebRequest.Result.ProtocolError;
            // A redirection that is not followed ends with an error and the status.
            if (!isAnswered || sent.responseCode == 0) return new GameAnswer { Fault = sent.error ?? "No answer." };
            var headers = new System.Collections.Generic.Dictionary<string, string>(StringComparer.OrdinalIgnoreCase);
            // Read now: the request is gone when the client looks.
            foreach (var name in new[] { "Date", "Retry-After", "Idempotent-Replayed", "X-Ignored-Fields" })
            {
                headers[name] = sent.GetResponseHeader(name);
            }
            return new GameAnswer
            {
                Status = (int)sent.responseCode,
                Text = body.Text,
                Header = name => headers.TryGetValue(name, out var value) ? value : null,
            };
        }

        private sealed class Running : IDisposable
        {
            private readonly UnityWebRequest sent;

            internal Running(UnityWebRequest sent)
            {
                this.sent = sent;
            }

            internal bool IsDisposed { get; private set; }

            public void Dispose()
            {
                if (IsDisposed) return;
                IsDisposed = true;
                // Of a request under way this is an abort.
                sent.Dispose();
            }
        }

        /// <summary>Ends a download that gets too long.</summary>
        private sealed class BoundedHandler : DownloadHandlerScript
        {
            private readonly MemoryStream read = new MemoryStream();
            private readonly int mostBytes;

            internal BoundedHandler(int mostBytes) : base(new byte[16384])
            {
                this.mostBytes = mostBytes;
            }

            internal bool IsTooLong { get; private set; }

            internal string Text
            {
                get { return Encoding.UTF8.GetString(read.GetBuffer(), 0, (int)read.Length); }
            }

            protected override bool ReceiveData(byte[] data, int dataLength)
            {
                if (read.Length + dataLength > mostBytes)
                {
                    IsTooLong = true;
                    return false;
                }
                read.Write(data, 0, dataLength);
                return true;
            }
        }
    }
}
