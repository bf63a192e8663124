/** The environment variable that names a folder of this test run, which is removed at its end. */
export const RUN_FOLDER = 'PLAYER_ANALYTICS_TEST_RUN';
