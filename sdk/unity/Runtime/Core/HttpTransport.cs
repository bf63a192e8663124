using System;
using System.Collections.Generic;
using System.IO;
using System.Net.Http;
using System.Text;
using System.Threading;
using System.Threading.Tasks;

namespace PlayerAnalytics
{
    /// <summary>Sends with <c>HttpClient</c>: for game servers, tools and tests. In Unity its own transport is used.</summary>
    public sealed class HttpTransport : IGameTransport
    {
        private const int ChunkBytes = 16384;

        /// <summary>The client's own bound on a request's time is shorter; this one ends what it aborted in vain.</summary>
        private static readonly TimeSpan Longest = TimeSpan.FromMinutes(2);

        private readonly HttpClient http = new HttpClient(
            new HttpClientHandler { AllowAutoRedirect = false, UseCookies = false })
        {
            Timeout = Longest,
        };

        public IDisposable Send(GameRequest request, Action<GameAnswer> done)
        {
            var abort = new CancellationTokenSource();
            // Away from the caller's thread: resolving a name may block.
            Task.Run(() => Exchange(request, done, abort.Token));
            return new Abort(abort);
        }

        private async Task Exchange(GameRequest request, Action<GameAnswer> done, CancellationToken aborted)
        {
            GameAnswer answer;
            try
            {
                using (var message = new HttpRequestMessage(HttpMethod.Post, request.Url))
                {
                    message.Content = new ByteArrayContent(request.Body);
                    message.Headers.ExpectContinue = false;
                    foreach (var header in request.Headers)
                    {
                        var isOfBody = header.Key == "Content-Type";
                        if (isOfBody) message.Content.Headers.TryAddWithoutValidation(header.Key, header.Value);
                        else message.Headers.TryAddWithoutValidation(header.Key, header.Value);
                    }
                    const HttpCompletionOption early = HttpCompletionOption.ResponseHeadersRead;
                    using (var response = await http.SendAsync(message, early, aborted).ConfigureAwait(false))
                    {
                        answer = await Read(response, request.MostAnswerBytes, aborted).ConfigureAwait(false);
                    }
                }
            }
            catch (Exception fault)
            {
                answer = new GameAnswer { Fault = (fault.InnerException ?? fault).Message };
            }
            done(answer);
        }

        private static async Task<GameAnswer> Read(HttpResponseMessage response, int mostBytes, CancellationToken aborted)
        {
            var headers = new Dictionary<string, string>(StringComparer.OrdinalIgnoreCase);
            foreach (var header in response.Headers) headers[header.Key] = string.Join(", ", header.Value);
            var answer = new GameAnswer
            {
                Status = (int)response.StatusCode,
                Header = name => headers.TryGetValue(name, out var value) ? value : null,
            };
            using (var body = new MemoryStream())
            using (var stream = await response.Content.ReadAsStreamAsync().ConfigureAwait(false))
            {
                var chunk = new byte[ChunkBytes];
                for (;;)
                {
                    var read = await stream.ReadAsync(chunk, 0, chunk.Length, aborted).ConfigureAwait(false);
                    if (read == 0) break;
                    body.Write(chunk, 0, read);
                    if (body.Length > mostBytes)
                    {
                        return new GameAnswer { Fault = "The answer has more than " + mostBytes + " bytes." };
                    }
                }
                answer.Text = Encoding.UTF8.GetString(body.GetBuffer(), 0, (int)body.Length);
                return answer;
            }
        }

        private sealed class Abort : IDisposable
        {
            private readonly CancellationTokenSource source;

            internal Abort(CancellationTokenSource source)
            {
                this.source = source;
            }

            public void Dispose()
            {
                source.Cancel();
            }
        }
    }
}
