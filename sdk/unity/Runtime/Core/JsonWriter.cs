using System;
using System.Collections;
using System.Collections.Generic;
using System.Globalization;
using System.Text;

namespace PlayerAnalytics
{
    /// <summary>
    /// Writes JSON. Unity's JsonUtility knows no dictionaries, and a library of its own would meet the game's copy of
    /// it in another version.
    /// </summary>
    internal static class JsonWriter
    {
        /// <summary>Deeper values are refused. It also ends a value that contains itself.</summary>
        private const int MostDepth = 64;

        /// <summary>Writes a dictionary, list, text, number, bool or null.</summary>
        /// <exception cref="ArgumentException">The value has a part that JSON or this writer does not know.</exception>
        internal static string Write(object value)
        {
            var text = new StringBuilder();
            WriteValue(text, value, 0);
            return text.ToString();
        }

        internal static string Quote(string value)
        {
            var text = new StringBuilder(value.Length + 2);
            WriteText(text, value);
            return text.ToString();
        }

        private static void WriteValue(StringBuilder text, object value, int depth)
        {
            if (depth > MostDepth) throw new ArgumentException("It is nested deeper than " + MostDepth + " levels.");
            // No type patterns in a switch: Mono's compiler does not know them.
            if (value == null) text.Append("null");
            else if (value is string each) WriteText(text, each);
            else if (value is bool isTrue) text.Append(isTrue ? "true" : "false");
            else if (value is char || value is Enum) WriteText(text, value.ToString());
            else if (value is float single) WriteNumber(text, single, single.ToString("R", CultureInfo.InvariantCulture));
            else if (value is double number) WriteNumber(text, number, number.ToString("R", CultureInfo.InvariantCulture));
            else if (IsWhole(value) || value is decimal)
            {
                text.Append(((IFormattable)value).ToString(null, CultureInfo.InvariantCulture));
            }
            else if (value is IDictionary dictionary) WriteObject(text, dictionary, depth);
            else if (value is IEnumerable<KeyValuePair<string, object>> pairs) WritePairs(text, pairs, depth);
            else if (value is IEnumerable list) WriteList(text, list, depth);
            else throw new ArgumentException("It contains a " + value.GetType().Name + ", which is no value of JSON.");
        }

        private static bool IsWhole(object value)
        {
            return value is int || value is long || value is uint || value is ulong || value is short || value is ushort
                || value is byte || value is sbyte;
        }

        private static void WriteList(StringBuilder text, IEnumerable list, int depth)
        {
            text.Append('[');
            var isFirst = true;
            foreach (var item in list)
            {
                if (!isFirst) text.Append(',');
                isFirst = false;
                WriteValue(text, item, depth + 1);
            }
            text.Append(']');
        }

        private static void WriteObject(StringBuilder text, IDictionary value, int depth)
        {
            text.Append('{');
            var isFirst = true;
            foreach (DictionaryEntry entry in value)
            {
                if (!(entry.Key is string key)) throw new ArgumentException("It contains a key that is no text.");
                WriteMember(text, key, entry.Value, depth, ref isFirst);
            }
            text.Append('}');
        }

        private static void WritePairs(StringBuilder text, IEnumerable<KeyValuePair<string, object>> pairs, int depth)
        {
            text.Append('{');
            var isFirst = true;
            foreach (var pair in pairs) WriteMember(text, pair.Key, pair.Value, depth, ref isFirst);
            text.Append('}');
        }

        private static void WriteMember(StringBuilder text, string key, object value, int depth, ref bool isFirst)
        {
            if (!isFirst) text.Append(',');
            isFirst = false;
            WriteText(text, key);
            text.Append(':');
            WriteValue(text, value, depth + 1);
        }

        private static void WriteNumber(StringBuilder text, double value, string written)
        {
            if (double.IsNaN(value) || double.IsInfinity(value))
            {
                throw new ArgumentException("It contains a number that is not finite.");
            }
            text.Append(written);
        }

        private static void WriteText(StringBuilder text, string value)
        {
            text.Append('"');
            for (var index = 0; index < value.Length; index += 1)
            {
                var each = value[index];
                if (each == '"' || each == '\\') text.Append('\\').Append(each);
                else if (each < ' ' || IsAlone(value, index)) Escape(text, each);
                else text.Append(each);
            }
            text.Append('"');
        }

        /// <summary>Half of a surrogate pair: UTF-8 has no form for it.</summary>
        private static bool IsAlone(string value, int index)
        {
            var each = value[index];
            if (char.IsHighSurrogate(each))
            {
                return index + 1 >= value.Length || !char.IsLowSurrogate(value[index + 1]);
            }
            return char.IsLowSurrogate(each) && (index == 0 || !char.IsHighSurrogate(value[index - 1]));
        }

        private static void Escape(StringBuilder text, char each)
        {
            text.Append("\\u").Append(((int)each).ToString("x4", CultureInfo.InvariantCulture));
        }
    }
}
