using System;
using System.Collections.Generic;
using System.IO;
using UnityEngine;

namespace PlayerAnalytics.Unity
{
    /// <summary>
    /// Runs a <see cref="GameClient"/> in Unity: ticks it every frame, tells it of pauses, and disposes of it when the
    /// game ends. Listeners run in the main thread.
    /// </summary>
    public sealed class PlayerAnalyticsUnity : MonoBehaviour
    {
        private GameClient game;

        /// <summary>Starts a client. It lives until the game ends, or until it is disposed of.</summary>
        /// <param name="options">What is not set is chosen for Unity: folder, transport and the device's fields.</param>
        public static GameClient StartGame(GameOptions options)
        {
            options.Transport = options.Transport ?? new UnityTransport();
            options.Folder = options.Folder ?? Path.Combine(Application.persistentDataPath, "player-analytics");
            options.Device = options.Device ?? Device();
            if (options.Log == Console.WriteLine) options.Log = UnityEngine.Debug.Log;
#if UNITY_WEBGL && !UNITY_EDITOR
            options.HasThreads = false;
#endif
            var game = new GameClient(options);
            var holder = new GameObject("PlayerAnalytics") { hideFlags = HideFlags.HideAndDontSave };
            DontDestroyOnLoad(holder);
            holder.AddComponent<PlayerAnalyticsUnity>().game = game;
            return game;
        }

        /// <summary>
        /// An id of this installation for players without an account: the device's where it has one, otherwise a random
        /// one that is kept. Platforms without an id all give the same text, which would make their players one.
        /// </summary>
        public static string InstallationId()
        {
            var id = SystemInfo.deviceUniqueIdentifier;
            if (!string.IsNullOrEmpty(id) && id != SystemInfo.unsupportedIdentifier) return id;
            const string name = "player-analytics.installation";
            id = PlayerPrefs.GetString(name, "");
            if (id.Length > 0) return id;
            id = Guid.NewGuid().ToString("N");
            PlayerPrefs.SetString(name, id);
            PlayerPrefs.Save();
            return id;
        }

        private static Dictionary<string, object> Device()
        {
            return new Dictionary<string, object>
            {
                { "platform", Application.platform.ToString() },
                { "os_version", SystemInfo.operatingSystem },
                { "app_version", Application.version },
                { "device_model", SystemInfo.deviceModel },
            };
        }

        private void Update()
        {
            game?.Tick();
        }

        private void OnApplicationPause(bool isPaused)
        {
            game?.SetPaused(isPaused);
        }

        private void OnApplicationQuit()
        {
            Stop();
        }

        private void OnDestroy()
        {
            Stop();
        }

        private void Stop()
        {
            game?.Dispose();
            game = null;
        }
    }
}
