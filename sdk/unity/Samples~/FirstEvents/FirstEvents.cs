using System.Collections.Generic;
using PlayerAnalytics;
using PlayerAnalytics.Unity;
using UnityEngine;

/// <summary>Put this on an object of your first scene.</summary>
public sealed class FirstEvents : MonoBehaviour
{
    private GameClient game;

    private void Start()
    {
        game = PlayerAnalyticsUnity.StartGame(new GameOptions
        {
            BaseUrl = "http://127.0.0.1:8080",
            Key = "pk_test_…",
            // Your own id of the player, where there is one.
            Player = PlayerAnalyticsUnity.InstallationId(),
        });
        game.FlagChanged += (key, flag) => Debug.Log(key + " is now " + (flag == null ? "gone" : flag.Value));
        game.ProblemReported += problem => Debug.LogWarning(problem.Kind + ": " + problem.Message);
        Debug.Log("The shop of this player: " + game.Flag("new_shop", "old"));
        game.Track("level_up", new Dictionary<string, object> { { "level", 4 } });
        game.SetState(new Dictionary<string, object> { { "level", 4 } });
    }
}
