import { isMainThread } from 'node:worker_threads';
import type * as OnnxRuntime from 'onnxruntime-node';

/**
 * Loads the native runtime, at the first call. Its binaries for Linux and macOS report the process, its models and
 * their run times to their maker unless `ORT_DISABLE_TELEMETRY` is set; they keep a device id and a database in the
 * home directory for that. The runtime reads the variable once, when its first session opens. Throws in a worker
 * thread, where a change of `process.env` does not reach native code.
 */
export async function loadOnnxRuntime(): Promise<typeof OnnxRuntime> {
  if (!isMainThread) throw new Error('load the ONNX runtime in the main thread, where its telemetry can be turned off');
  process.env['ORT_DISABLE_TELEMETRY'] = '1';
  return import('onnxruntime-node');
}
