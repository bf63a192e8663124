using System;
using System.Collections.Generic;
using System.Text;

namespace PlayerAnalytics
{
    /// <summary>Turns what a game passes in into JSON, once: a later change of the dictionary changes nothing.</summary>
    internal static class Tracked
    {
        /// <summary>The service's bound on properties and attributes as JSON.</summary>
        private const int DocumentBytes = 65536;

        private const int NameLength = 128;

        /// <summary>Why an event cannot have this name; null if it can.</summary>
        internal static string NameFault(string name)
        {
            if (string.IsNullOrEmpty(name)) return "The name of an event is a text.";
            return name.Length > NameLength ? "The name of an event has at most " + NameLength + " characters." : null;
        }

        /// <summary>Why the document cannot be sent; null if it can.</summary>
        internal static string Write(IDictionary<string, object> document, out string json, out DropReason reason)
        {
            json = "";
            reason = DropReason.Invalid;
            try
            {
                var text = JsonWriter.Write(document);
                var bytes = Encoding.UTF8.GetByteCount(text);
                if (bytes <= DocumentBytes)
                {
                    json = text;
                    return null;
                }
                reason = DropReason.TooLarge;
                return "It has " + bytes + " bytes as JSON; the maximum is " + DocumentBytes + ".";
            }
            catch (Exception fault)
            {
                // Also of a dictionary of the game that throws while it is read.
                return "It cannot be written as JSON: " + fault.Message;
            }
        }
    }
}
