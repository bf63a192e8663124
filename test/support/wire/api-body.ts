/** The envelope of an answer as tests read it; its data depends on the route. */
export interface ApiBody {
  success: boolean;
  data: {
    [name: string]: unknown;
    status: string;
    results: { index: number; event_id: string | null; status: string; error: ApiError }[];
    webhook_id: string;
    secret: string;
    created_at: string;
  };
  error: ApiError;
}

interface ApiError {
  code: string;
  message: string;
  details: { fields: { path: string; message: string }[]; results: unknown[]; request_id: string };
}

/** Reads a JSON answer. */
export async function bodyOf(response: Response): Promise<ApiBody> {
  const body: ApiBody = JSON.parse(await response.text());
  return body;
}
