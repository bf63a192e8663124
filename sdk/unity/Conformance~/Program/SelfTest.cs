using System;
using System.Collections.Generic;

namespace PlayerAnalytics.Conformance
{
    /// <summary>What a scenario cannot pass in, because JSON has no form for it. Ends the program when it fails.</summary>
    internal static class SelfTest
    {
        internal static void Run()
        {
            var itself = new Dictionary<string, object>();
            itself["self"] = itself;
            var refused = new object[]
            {
                double.NaN, double.PositiveInfinity, float.NegativeInfinity, new object(), itself, new Action(Run),
                new Dictionary<int, int> { { 1, 2 } },
            };
            foreach (var value in refused)
            {
                var document = new Dictionary<string, object> { { "value", value } };
                Expect(Tracked.Write(document, out _, out _) != null, "a value that JSON does not know: " + value.GetType());
            }
            var good = new Dictionary<string, object>
            {
                { "lone", "\ud800 and \udc00" },
                { "pair", "\ud83d\ude00" },
                { "numbers", new object[] { 1, 2L, 3.5f, 0.1, 7m, byte.MaxValue, ulong.MaxValue, -0.0, 1e300 } },
                { "enum", DropReason.TooLarge },
                { "typed", new Dictionary<string, int> { { "a", 1 } } },
                { "list", new List<string> { "a", null } },
            };
            Expect(Tracked.Write(good, out var json, out _) == null, "a good document was refused");
            Expect(json.Contains("\\ud800 and \\udc00") && json.Contains("\ud83d\ude00"), "surrogates: " + json);
            Expect(json.Contains("[1,2,3.5,0.1,7,255,18446744073709551615,"), "numbers: " + json);
            Expect(JsonReader.ReadObject(json).Object("typed").Count("a", 9) == 1, "it cannot be read back: " + json);
            foreach (var text in new[] { "", " ", "{", "[1,]", "{\"a\":1,}", "01", "1.", "-", "tru", "\"\\x\"", "\"a\nb\"", "1 2" })
            {
                Expect(!JsonReader.TryRead(text, out _), "no JSON was read: " + text);
            }
            Expect(JsonReader.TryRead("[1e999,-0,1E+2,\"\\u00e4\\/\"]", out var list), "a list");
            Expect((string)((List<object>)list)[3] == "\u00e4/", "an escape");
            Expect(Times.Iso(long.MaxValue) == "9999-12-31T00:00:00.000Z" && Times.Iso(-1).StartsWith("1970"), "times");
        }

        private static void Expect(bool isTrue, string what)
        {
            if (isTrue) return;
            Console.Error.WriteLine("self test: " + what);
            Environment.Exit(1);
        }
    }
}
