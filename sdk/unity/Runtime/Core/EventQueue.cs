using System;
using System.Collections.Generic;
using System.Text;

namespace PlayerAnalytics
{
    /// <summary>
    /// The queue: what was tracked and not yet acknowledged by the service, in order, in memory and in a file. A line of
    /// the file is an entry, or says which entries are done. Lines are appended; the file is written anew when most of
    /// it is done.
    /// Invariants: 1. Entries are handed out in order. 2. Entries and bytes are bounded: the oldest one that is not in a
    /// request is dropped and reported. 3. After a write that failed the file is written anew, because what of it
    /// reached the disk is unknown.
    /// </summary>
    internal sealed class EventQueue
    {
        /// <summary>Of a file that is read: twice the bytes of the largest queue, in JSON inside of JSON, and room.</summary>
        private const int MostFileBytes = 32 * 1024 * 1024;

        /// <summary>Lines of done entries that do not yet make a new file worth it.</summary>
        private const long RoomBytes = 256 * 1024;

        private readonly StorageWorker worker;
        private readonly string name;
        private readonly int mostEntries;
        private readonly int mostBytes;
        private readonly List<Entry> entries = new List<Entry>();
        private readonly StringBuilder unwritten = new StringBuilder();
        private HashSet<string> pinned = new HashSet<string>();
        private long fileBytes;
        private int bytes;
        private bool isAnew;
        private bool isWriting;
        private int generation;

        internal EventQueue(StorageWorker worker, string name, int mostEntries, int mostBytes)
        {
            this.worker = worker;
            this.name = name;
            this.mostEntries = mostEntries;
            this.mostBytes = mostBytes;
        }

        /// <summary>An entry will not be sent.</summary>
        internal event Action<Entry> Dropped;

        /// <summary>A write failed.</summary>
        internal event Action<Exception> Failed;

        internal IReadOnlyList<Entry> Entries
        {
            get { return entries; }
        }

        internal int Bytes
        {
            get { return bytes; }
        }

        /// <summary>The last write failed; the next one is tried before the next request.</summary>
        internal bool IsFailing { get; private set; }

        /// <summary>Everything is written, as far as it is known.</summary>
        internal bool IsSaved
        {
            get { return !isWriting && unwritten.Length == 0 && (!isAnew || entries.Count == 0); }
        }

        /// <summary>Reads what an earlier run left. What is unreadable is left out, and the file is written anew.</summary>
        internal void Load(IGameStorage storage)
        {
            var text = storage.Read(name, MostFileBytes);
            if (string.IsNullOrEmpty(text))
            {
                // Also a file that is too long to be one of a queue.
                isAnew = true;
                return;
            }
            fileBytes = Encoding.UTF8.GetByteCount(text);
            isAnew = text[text.Length - 1] != '\n';
            var done = new HashSet<string>();
            var known = new HashSet<string>();
            foreach (var line in text.Split('\n'))
            {
                if (line.Length == 0) continue;
                var members = JsonReader.ReadObject(line);
                if (members.Text("kind") == "done")
                {
                    done.UnionWith(members.Texts("ids"));
                    continue;
                }
                var entry = members == null ? null : Entry.From(members);
                if (entry == null || !known.Add(entry.Id)) isAnew = true;
                else entries.Add(entry);
            }
            entries.RemoveAll(entry => done.Contains(entry.Id));
            foreach (var entry in entries) bytes += entry.Size;
            Trim();
        }

        internal void Add(Entry entry)
        {
            entries.Add(entry);
            bytes += entry.Size;
            if (!isAnew) unwritten.Append(entry.ToLine()).Append('\n');
            Trim();
            // Storage that fails is tried again before each request, not with each event.
            if (!IsFailing) Save();
        }

        /// <summary>Keeps entries that are in a request from being dropped.</summary>
        internal void Pin(HashSet<string> ids)
        {
            pinned = ids;
        }

        internal void Remove(HashSet<string> ids)
        {
            if (RemoveFromMemory(ids) == 0) return;
            if (!IsFailing) Save();
        }

        /// <summary>Forgets everything; the caller removes the file.</summary>
        internal void Clear()
        {
            entries.Clear();
            bytes = 0;
            unwritten.Length = 0;
            isAnew = false;
            fileBytes = 0;
            generation += 1;
        }

        /// <summary>Begins to write what is not written.</summary>
        internal void Save()
        {
            if (isWriting || (!isAnew && unwritten.Length == 0)) return;
            isWriting = true;
            IsFailing = false;
            var own = generation;
            if (fileBytes + unwritten.Length > 2L * bytes + RoomBytes) isAnew = true;
            if (isAnew || entries.Count == 0) WriteAnew(own);
            else Append(own);
        }

        private void WriteAnew(int own)
        {
            var text = new StringBuilder();
            foreach (var entry in entries) text.Append(entry.ToLine()).Append('\n');
            unwritten.Length = 0;
            isAnew = false;
            var written = text.ToString();
            if (written.Length == 0) worker.Do(storage => storage.Remove(name), fault => Written(fault, own, 0));
            else
            {
                worker.Do(
                    storage => storage.Write(name, written),
                    fault => Written(fault, own, Encoding.UTF8.GetByteCount(written)));
            }
        }

        private void Append(int own)
        {
            var text = unwritten.ToString();
            unwritten.Length = 0;
            var sum = fileBytes + Encoding.UTF8.GetByteCount(text);
            worker.Do(storage => storage.Append(name, text), fault => Written(fault, own, sum));
        }

        private void Written(Exception fault, int own, long size)
        {
            isWriting = false;
            // Cleared in the meantime: the removal of the file comes after this write.
            if (own != generation) fileBytes = 0;
            else if (fault == null) fileBytes = size;
            else isAnew = true;
            if (fault == null)
            {
                Save();
                return;
            }
            IsFailing = true;
            unwritten.Length = 0;
            Failed?.Invoke(fault);
        }

        private int RemoveFromMemory(HashSet<string> ids)
        {
            var removed = new List<string>();
            entries.RemoveAll(entry =>
            {
                if (!ids.Contains(entry.Id)) return false;
                bytes -= entry.Size;
                removed.Add(entry.Id);
                return true;
            });
            if (removed.Count == 0 || isAnew) return removed.Count;
            unwritten.Append("{\"kind\":\"done\",\"ids\":[");
            for (var index = 0; index < removed.Count; index += 1)
            {
                if (index > 0) unwritten.Append(',');
                unwritten.Append(JsonWriter.Quote(removed[index]));
            }
            unwritten.Append("]}\n");
            return removed.Count;
        }

        private void Trim()
        {
            while (entries.Count > mostEntries || bytes > mostBytes)
            {
                var oldest = OldestToGo(out var isMerged);
                if (oldest == null) return;
                RemoveFromMemory(new HashSet<string> { oldest.Id });
                if (!isMerged) Dropped?.Invoke(oldest);
            }
        }

        /// <summary>
        /// The oldest entry that is not in a request. Changed attributes are not lost: they are merged into newer ones,
        /// and the last of them stays.
        /// </summary>
        private Entry OldestToGo(out bool isMerged)
        {
            isMerged = false;
            for (var index = 0; index < entries.Count; index += 1)
            {
                var entry = entries[index];
                if (pinned.Contains(entry.Id)) continue;
                if (entry.Kind != EntryKind.State) return entry;
                if (!MergeIntoNewer(index)) continue;
                isMerged = true;
                return entry;
            }
            return null;
        }

        private bool MergeIntoNewer(int old)
        {
            for (var index = old + 1; index < entries.Count; index += 1)
            {
                var newer = entries[index];
                if (newer.Kind != EntryKind.State || pinned.Contains(newer.Id)) continue;
                bytes -= newer.Size;
                newer.Json = Attributes.Merged(new[] { entries[old], newer });
                bytes += newer.Size;
                // Lines of the file are not changed.
                isAnew = true;
                return true;
            }
            return false;
        }
    }

    internal static class Attributes
    {
        /// <summary>The attributes of several changes as one JSON text; later ones win.</summary>
        internal static string Merged(IReadOnlyList<Entry> states)
        {
            if (states.Count == 1) return states[0].Json;
            var merged = new Dictionary<string, object>();
            foreach (var state in states)
            {
                foreach (var pair in JsonReader.ReadObject(state.Json) ?? merged) merged[pair.Key] = pair.Value;
            }
            return JsonWriter.Write(merged);
        }
    }
}
