using System;
using System.Collections.Generic;

namespace PlayerAnalytics
{
    /// <summary>Reads members of JSON objects that may be absent or of another type.</summary>
    internal static class JsonFields
    {
        internal static object Get(this Dictionary<string, object> members, string name)
        {
            return members != null && members.TryGetValue(name, out var value) ? value : null;
        }

        /// <summary>A text that is not empty; null if there is none.</summary>
        internal static string Text(this Dictionary<string, object> members, string name)
        {
            return members.Get(name) is string text && text.Length > 0 ? text : null;
        }

        internal static Dictionary<string, object> Object(this Dictionary<string, object> members, string name)
        {
            return members.Get(name) as Dictionary<string, object>;
        }

        internal static List<object> List(this Dictionary<string, object> members, string name)
        {
            return members.Get(name) as List<object>;
        }

        /// <summary>A whole number from 0 to the given one; -1 if there is none.</summary>
        internal static long Count(this Dictionary<string, object> members, string name, long most)
        {
            return members.Get(name) is double number && number >= 0 && number <= most && Math.Floor(number) == number
                ? (long)number
                : -1;
        }

        /// <summary>The texts in a list that are not empty.</summary>
        internal static List<string> Texts(this Dictionary<string, object> members, string name)
        {
            var texts = new List<string>();
            foreach (var item in members.List(name) ?? new List<object>())
            {
                if (item is string text && text.Length > 0) texts.Add(text);
            }
            return texts;
        }
    }
}
