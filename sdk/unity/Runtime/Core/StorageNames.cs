using System;
using System.Security.Cryptography;
using System.Text;

namespace PlayerAnalytics
{
    /// <summary>
    /// Names in storage. A key of a service has a folder of its own; a player has names of his own in it, so that no
    /// event is ever sent for another player.
    /// </summary>
    internal sealed class StorageNames
    {
        /// <summary>Bytes of a hash: tells players apart, and is no name that a file system refuses.</summary>
        private const int HashBytes = 16;

        internal readonly string Folder;
        internal readonly string Queue;
        internal readonly string State;

        internal StorageNames(string baseUrl, string key, string player)
        {
            Folder = "1-" + HashOf(baseUrl + "\n" + key);
            var own = HashOf(player);
            Queue = own + ".queue";
            State = own + ".state";
        }

        private static string HashOf(string text)
        {
            using (var sha = SHA256.Create())
            {
                var hash = sha.ComputeHash(Encoding.UTF8.GetBytes(text));
                return BitConverter.ToString(hash, 0, HashBytes).Replace("-", "").ToLowerInvariant();
            }
        }
    }
}
