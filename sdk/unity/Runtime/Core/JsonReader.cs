using System.Collections.Generic;
using System.Globalization;
using System.Text;

namespace PlayerAnalytics
{
    /// <summary>
    /// Reads JSON into dictionaries, lists, texts, doubles, bools and null. Never throws: what a server sends may be
    /// anything. Depth is bounded, because each level takes a frame of the stack.
    /// </summary>
    internal sealed class JsonReader
    {
        private const int MostDepth = 64;
        private readonly string text;
        private int at;

        private JsonReader(string text)
        {
            this.text = text;
        }

        /// <summary>Whether the text is JSON as a whole.</summary>
        internal static bool TryRead(string text, out object value)
        {
            value = null;
            if (text == null) return false;
            var reader = new JsonReader(text);
            if (!reader.ReadValue(0, out value)) return false;
            reader.SkipSpace();
            return reader.at == text.Length;
        }

        /// <summary>The object that the text is; null if it is none.</summary>
        internal static Dictionary<string, object> ReadObject(string text)
        {
            return TryRead(text, out var value) ? value as Dictionary<string, object> : null;
        }

        private bool ReadValue(int depth, out object value)
        {
            value = null;
            SkipSpace();
            if (depth > MostDepth || at >= text.Length) return false;
            switch (text[at])
            {
                case '{':
                    return ReadMembers(depth, out value);
                case '[':
                    return ReadItems(depth, out value);
                case '"':
                    var isText = ReadText(out var read);
                    value = read;
                    return isText;
                case 't':
                    value = true;
                    return Skip("true");
                case 'f':
                    value = false;
                    return Skip("false");
                case 'n':
                    return Skip("null");
                default:
                    return ReadNumber(out value);
            }
        }

        private bool ReadMembers(int depth, out object value)
        {
            var members = new Dictionary<string, object>();
            value = members;
            at += 1;
            SkipSpace();
            if (Take('}')) return true;
            do
            {
                SkipSpace();
                if (at >= text.Length || text[at] != '"' || !ReadText(out var key)) return false;
                SkipSpace();
                if (!Take(':') || !ReadValue(depth + 1, out var member)) return false;
                members[key] = member;
                SkipSpace();
            }
            while (Take(','));
            return Take('}');
        }

        private bool ReadItems(int depth, out object value)
        {
            var items = new List<object>();
            value = items;
            at += 1;
            SkipSpace();
            if (Take(']')) return true;
            do
            {
                if (!ReadValue(depth + 1, out var item)) return false;
                items.Add(item);
                SkipSpace();
            }
            while (Take(','));
            return Take(']');
        }

        private bool ReadText(out string value)
        {
            value = null;
            at += 1;
            var built = new StringBuilder();
            while (at < text.Length)
            {
                var each = text[at];
                at += 1;
                if (each == '"')
                {
                    value = built.ToString();
                    return true;
                }
                if (each < ' ') return false;
                if (each != '\\') built.Append(each);
                else if (!ReadEscape(built)) return false;
            }
            return false;
        }

        private bool ReadEscape(StringBuilder built)
        {
            if (at >= text.Length) return false;
            var each = text[at];
            at += 1;
            const string names = "\"\\/bfnrt";
            const string meanings = "\"\\/\b\f\n\r\t";
            var index = names.IndexOf(each);
            if (index >= 0)
            {
                built.Append(meanings[index]);
                return true;
            }
            if (each != 'u' || at + 4 > text.Length) return false;
            var code = 0;
            for (var digit = 0; digit < 4; digit += 1)
            {
                var hex = HexValue(text[at + digit]);
                if (hex < 0) return false;
                code = code * 16 + hex;
            }
            at += 4;
            built.Append((char)code);
            return true;
        }

        private static int HexValue(char digit)
        {
            if (digit >= '0' && digit <= '9') return digit - '0';
            if (digit >= 'a' && digit <= 'f') return digit - 'a' + 10;
            return digit >= 'A' && digit <= 'F' ? digit - 'A' + 10 : -1;
        }

        private bool ReadNumber(out object value)
        {
            var start = at;
            if (at < text.Length && text[at] == '-') at += 1;
            if (!SkipDigits(out var isZeroFirst, out var digits) || (isZeroFirst && digits > 1)) return Fail(out value);
            if (Take('.') && !SkipDigits(out _, out _)) return Fail(out value);
            if (at < text.Length && (text[at] == 'e' || text[at] == 'E'))
            {
                at += 1;
                if (at < text.Length && (text[at] == '+' || text[at] == '-')) at += 1;
                if (!SkipDigits(out _, out _)) return Fail(out value);
            }
            var written = text.Substring(start, at - start);
            // Some runtimes refuse what is too large, others make it infinite.
            var isNumber = double.TryParse(written, NumberStyles.Float, CultureInfo.InvariantCulture, out var number);
            value = isNumber ? number : double.PositiveInfinity;
            return true;
        }

        private bool SkipDigits(out bool isZeroFirst, out int count)
        {
            var start = at;
            isZeroFirst = at < text.Length && text[at] == '0';
            while (at < text.Length && text[at] >= '0' && text[at] <= '9') at += 1;
            count = at - start;
            return count > 0;
        }

        private static bool Fail(out object value)
        {
            value = null;
            return false;
        }

        private bool Skip(string word)
        {
            if (string.CompareOrdinal(text, at, word, 0, word.Length) != 0) return false;
            at += word.Length;
            return true;
        }

        private bool Take(char expected)
        {
            if (at >= text.Length || text[at] != expected) return false;
            at += 1;
            return true;
        }

        private void SkipSpace()
        {
            while (at < text.Length && (text[at] == ' ' || text[at] == '\n' || text[at] == '\r' || text[at] == '\t')) at += 1;
        }
    }
}
