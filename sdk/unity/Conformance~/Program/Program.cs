using System;
using System.Collections.Generic;
using System.IO;
using System.Text;

namespace PlayerAnalytics.Conformance
{
    /// <summary>
    /// The client behind commands: each line of the input is one, each line of the output an answer. The README of
    /// sdk/conformance lists them. Files and requests are real; the clocks are moved by commands.
    /// </summary>
    internal static class Program
    {
        private static readonly FakeClock Clock = new FakeClock();
        private static readonly List<object> Dropped = new List<object>();
        private static readonly List<object> Problems = new List<object>();
        private static readonly List<object> Changes = new List<object>();
        private static readonly List<object> Messages = new List<object>();
        private static readonly List<object> Log = new List<object>();
        private static FaultyStorage storage;
        private static GameClient game;

        private static void Main()
        {
            var output = new StreamWriter(Console.OpenStandardOutput(), new UTF8Encoding(false)) { AutoFlush = true };
            var input = new StreamReader(Console.OpenStandardInput(), new UTF8Encoding(false));
            SelfTest.Run();
            for (var line = input.ReadLine(); line != null; line = input.ReadLine())
            {
                var result = Perform(JsonReader.ReadObject(line));
                game?.Tick();
                output.WriteLine(JsonWriter.Write(Look(result)));
            }
        }

        private static Dictionary<string, object> Look(object result)
        {
            var look = new Dictionary<string, object>
            {
                { "sending", game != null && game.IsSending },
                { "saving", game != null && game.IsSaving },
                { "dueMs", game?.DueMs },
                { "dropped", Dropped.ToArray() },
                { "problems", Problems.ToArray() },
                { "changes", Changes.ToArray() },
                { "messages", Messages.ToArray() },
                { "log", Log.ToArray() },
                { "result", result },
            };
            Dropped.Clear();
            Problems.Clear();
            Changes.Clear();
            Messages.Clear();
            Log.Clear();
            return look;
        }

        private static object Perform(Dictionary<string, object> command)
        {
            switch (command.Text("do"))
            {
                case "start":
                    return Start(command);
                case "track":
                    return game.Track(command.Get("name") as string, command.Object("properties"));
                case "setState":
                    return game.SetState(command.Object("attributes"));
                case "flag":
                    return Flag(command.Text("key"), command.Get("fallback"), command);
                case "expose":
                    return game.Expose(command.Text("key"));
                case "listen":
                    game.InterventionOffered += message => Messages.Add(message.Id);
                    return null;
                case "end":
                    game.End();
                    return null;
                case "flush":
                    game.Flush();
                    return null;
                case "pause":
                    game.SetPaused((bool)command.Get("isPaused"));
                    return null;
                case "consent":
                    game.SetConsent((bool)command.Get("isGiven"));
                    return null;
                case "quit":
                    game.Dispose();
                    return null;
                case "advance":
                    Clock.SteadyMs += (double)command.Get("ms");
                    Clock.WallMs += (double)command.Get("ms");
                    return null;
                case "skew":
                    Clock.WallMs += (double)command.Get("ms");
                    return null;
                case "disk":
                    storage.IsFull = (bool)command.Get("isFull");
                    return null;
                default:
                    return null;
            }
        }

        /// <summary>By the method for the fallback's type, as a game calls it.</summary>
        private static object Flag(string key, object fallback, Dictionary<string, object> command)
        {
            if (command.Get("isWhole") is bool isWhole && isWhole) return game.Flag(key, (int)(double)fallback);
            if (fallback is bool isOn) return game.Flag(key, isOn);
            if (fallback is double number) return game.Flag(key, number);
            if (fallback is string text) return game.Flag(key, text);
            var value = game.Flag(key, fallback);
            if (!(command.Get("spoil") is bool isSpoiled) || !isSpoiled) return value;
            // What the game does with what it got.
            if (value is Dictionary<string, object> members) members["price"] = "spoiled";
            else ((List<object>)value).Add("spoiled");
            return null;
        }

        private static object Start(Dictionary<string, object> command)
        {
            var its = command.Object("options");
            Clock.WallMs = (double)command.Get("wallMs");
            storage = new FaultyStorage(new FileStorage(command.Text("folder")));
            var options = new GameOptions
            {
                BaseUrl = command.Text("baseUrl"),
                Key = command.Text("key"),
                Player = command.Text("player"),
                Storage = storage,
                Clock = Clock,
                Random = new Random((int)(double)command.Get("seed")),
                RequireConsent = its.Text("consent") == "required",
            };
            if (its.Get("maxQueued") is double most) options.MaxQueued = (int)most;
            if (its.Get("timeoutMs") is double timeoutMs) options.TimeoutMs = (int)timeoutMs;
            if (its.Get("debug") is bool isDebug) options.Debug = isDebug;
            options.Log = Log.Add;
            try
            {
                game = new GameClient(options);
            }
            catch (ArgumentException fault)
            {
                return fault.Message;
            }
            game.FlagChanged += (key, flag) => Changes.Add(key);
            game.ProblemReported += problem => Problems.Add(Kebab(problem.Kind.ToString()));
            game.EventDropped += dropped => Dropped.Add(new Dictionary<string, object>
            {
                { "id", dropped.Id },
                { "name", dropped.Name },
                { "reason", Kebab(dropped.Reason.ToString()) },
            });
            return null;
        }

        private static string Kebab(string name)
        {
            var text = new StringBuilder();
            foreach (var each in name)
            {
                if (char.IsUpper(each) && text.Length > 0) text.Append('-');
                text.Append(char.ToLowerInvariant(each));
            }
            return text.ToString();
        }

        private sealed class FakeClock : IGameClock
        {
            public double WallMs { get; set; }

            public double SteadyMs { get; set; }
        }

        /// <summary>A disk that can be full. A write to it may leave a part.</summary>
        private sealed class FaultyStorage : IGameStorage
        {
            private readonly IGameStorage files;
            internal volatile bool IsFull;

            internal FaultyStorage(IGameStorage files)
            {
                this.files = files;
            }

            public string Read(string name, int mostBytes)
            {
                return files.Read(name, mostBytes);
            }

            public void Write(string name, string text)
            {
                if (IsFull) throw new IOException("No space left on the device.");
                files.Write(name, text);
            }

            public void Append(string name, string text)
            {
                if (!IsFull)
                {
                    files.Append(name, text);
                    return;
                }
                files.Append(name, text.Substring(0, text.Length / 2));
                throw new IOException("No space left on the device.");
            }

            public void Remove(string name)
            {
                files.Remove(name);
            }

            public void RemoveOthers(string name)
            {
                files.RemoveOthers(name);
            }
        }
    }
}
