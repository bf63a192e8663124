using System;
using System.IO;
using System.Text;

namespace PlayerAnalytics
{
    /// <summary>Files in a folder, which another process does not use at the same time.</summary>
    public sealed class FileStorage : IGameStorage, IDisposable
    {
        private const string LockName = "lock";
        private const string Scratch = ".new";
        private static readonly Encoding Utf8 = new UTF8Encoding(false);

        private readonly string folder;
        private readonly FileStream held;

        /// <exception cref="IOException">The folder cannot be made, or another process uses it.</exception>
        public FileStorage(string folder)
        {
            this.folder = folder;
            Directory.CreateDirectory(folder);
            held = new FileStream(PathOf(LockName), FileMode.OpenOrCreate, FileAccess.ReadWrite, FileShare.None);
        }

        public string Read(string name, int mostBytes)
        {
            var file = new FileInfo(PathOf(name));
            if (!file.Exists || file.Length > mostBytes) return null;
            return File.ReadAllText(file.FullName, Utf8);
        }

        public void Write(string name, string text)
        {
            var path = PathOf(name);
            WriteThrough(path + Scratch, FileMode.Create, text);
            if (File.Exists(path)) File.Replace(path + Scratch, path, null);
            else File.Move(path + Scratch, path);
        }

        public void Append(string name, string text)
        {
            WriteThrough(PathOf(name), FileMode.Append, text);
        }

        public void Remove(string name)
        {
            File.Delete(PathOf(name));
            File.Delete(PathOf(name) + Scratch);
        }

        public void RemoveOthers(string name)
        {
            foreach (var path in Directory.GetFiles(folder))
            {
                var other = Path.GetFileName(path);
                if (other != name && other != LockName) File.Delete(path);
            }
        }

        public void Dispose()
        {
            held.Dispose();
        }

        private static void WriteThrough(string path, FileMode mode, string text)
        {
            var bytes = Utf8.GetBytes(text);
            using (var file = new FileStream(path, mode, FileAccess.Write, FileShare.Read))
            {
                file.Write(bytes, 0, bytes.Length);
                // To the disk, not only to the operating system.
                file.Flush(true);
            }
        }

        private string PathOf(string name)
        {
            return Path.Combine(folder, name);
        }
    }

    /// <summary>Forgets everything when the process ends.</summary>
    public sealed class MemoryStorage : IGameStorage
    {
        private readonly System.Collections.Generic.Dictionary<string, string> texts =
            new System.Collections.Generic.Dictionary<string, string>();

        public string Read(string name, int mostBytes)
        {
            lock (texts) return texts.TryGetValue(name, out var text) ? text : null;
        }

        public void Write(string name, string text)
        {
            lock (texts) texts[name] = text;
        }

        public void Append(string name, string text)
        {
            lock (texts) texts[name] = (texts.TryGetValue(name, out var before) ? before : "") + text;
        }

        public void Remove(string name)
        {
            lock (texts) texts.Remove(name);
        }

        public void RemoveOthers(string name)
        {
            lock (texts)
            {
                foreach (var other in new System.Collections.Generic.List<string>(texts.Keys))
                {
                    if (other != name) texts.Remove(other);
                }
            }
        }
    }
}
