using System;

// Declarations of what the layer uses of Unity 2021.3, without code: with them its types are checked, and nothing runs.
namespace UnityEngine
{
    [Flags]
    public enum HideFlags
    {
        HideAndDontSave = 61,
    }

    public enum RuntimePlatform
    {
        WindowsPlayer = 2,
    }

    public class Object
    {
        public HideFlags hideFlags { get; set; }

        public static void DontDestroyOnLoad(Object target)
        {
            throw new NotSupportedException();
        }
    }

    public class Component : Object
    {
    }

    public class MonoBehaviour : Component
    {
    }

    public sealed class GameObject : Object
    {
        public GameObject(string name)
        {
        }

        public T AddComponent<T>()
            where T : Component
        {
            throw new NotSupportedException();
        }
    }

    public static class Application
    {
        public static RuntimePlatform platform { get; }

        public static string persistentDataPath { get; }

        public static string version { get; }
    }

    public static class SystemInfo
    {
        public static string deviceModel { get; }

        public const string unsupportedIdentifier = "n/a";

        public static string deviceUniqueIdentifier { get; }

        public static string operatingSystem { get; }
    }

    public static class PlayerPrefs
    {
        public static string GetString(string key, string defaultValue)
        {
            throw new NotSupportedException();
        }

        public static void SetString(string key, string value)
        {
        }

        public static void Save()
        {
        }
    }

    public static class Debug
    {
        public static void Log(object message)
        {
        }

        public static void LogWarning(object message)
        {
        }
    }

    public class YieldInstruction
    {
    }

    public class AsyncOperation : YieldInstruction
    {
        public event Action<AsyncOperation> completed
        {
            add { }
            remove { }
        }
    }
}

namespace UnityEngine.Networking
{
    public class UploadHandler : IDisposable
    {
        public void Dispose()
        {
        }
    }

    public sealed class UploadHandlerRaw : UploadHandler
    {
        public UploadHandlerRaw(byte[] data)
        {
        }
    }

    public class DownloadHandler : IDisposable
    {
        public void Dispose()
        {
        }

        protected virtual bool ReceiveData(byte[] data, int dataLength)
        {
            return true;
        }
    }

    public class DownloadHandlerScript : DownloadHandler
    {
        public DownloadHandlerScript(byte[] preallocatedBuffer)
        {
        }
    }

    public class UnityWebRequestAsyncOperation : AsyncOperation
    {
    }

    public class UnityWebRequest : IDisposable
    {
        public const string kHttpVerbPOST = "POST";

        public UnityWebRequest(string url, string method)
        {
        }

        public enum Result
        {
            InProgress = 0,
            Success = 1,
            ConnectionError = 2,
            ProtocolError = 3,
            DataProcessingError = 4,
        }

        public Result result { get; }

        public long responseCode { get; }

        public string error { get; }

        public int redirectLimit { get; set; }

        public UploadHandler uploadHandler { get; set; }

        public DownloadHandler downloadHandler { get; set; }

        public void SetRequestHeader(string name, string value)
        {
        }

        public string GetResponseHeader(string name)
        {
            return null;
        }

        public UnityWebRequestAsyncOperation SendWebRequest()
        {
            return null;
        }

        public void Dispose()
        {
        }
    }
}
