import type { components, paths } from "./schema.d.ts";

export type { components, paths };

type Schemas = components["schemas"];
export type Reply = Schemas["Reply"];
export type Source = Schemas["Source"];
export type Context = Schemas["Context"];
export type Feedback = Schemas["Feedback"];
export type Signal = Schemas["FeedbackRequest"]["signal"];
export type Answer = Schemas["Answer"];
export type FoundDocument = Schemas["FoundDocument"];
export type Fact = Schemas["Fact"];

type Method = "get" | "put" | "post" | "delete";
/** The methods of a path. */
export type MethodOf<P extends keyof paths> = {
  [M in Method]: paths[P][M] extends { responses: unknown } ? M : never;
}[Method];
type Json<R> = R extends { content: { "application/json": infer J } }
  ? J
  : R extends { content: { [type: string]: infer T } }
    ? T
    : never;
/** What a call answers. */
export type AnswerOf<Call> = Call extends { responses: infer R } ? Json<R[keyof R]> : never;
type Parameters<Call, Place extends string> = Call extends { parameters: infer P }
  ? Place extends keyof P
    ? P[Place]
    : never
  : never;
type Body<Call> = Call extends { requestBody?: { content: { "application/json": infer B } } }
  ? B
  : never;
/** What a call takes: the parts of its path, its query, its body and its headers. */
export interface Call<C> {
  path?: Parameters<C, "path">;
  query?: Parameters<C, "query">;
  body?: Body<C>;
  headers?: Record<string, string>;
}

type Own = "prompt" | "contribute" | "agent_id" | "agent_name";
/** The options of a prompt, named as on the wire. `explain` is on unless it is turned off. */
export type Ask = Partial<Omit<Schemas["MemoryRequest"], Own>> & { idempotency_key?: string };
type QueryOf<P extends keyof paths> = Partial<NonNullable<Parameters<paths[P]["get"], "query">>>;

export interface Options {
  /** Where the memory is; else the variable WELLWORN_URL, else http://127.0.0.1:3200. */
  url?: string;
  /** Who is talking; contributions and trails are counted for this name. */
  agentId?: string;
  /** The same for human eyes. */
  agentName?: string;
  /** Who may talk; else the variable WELLWORN_KEY, else the call is made without a key. */
  key?: string;
  /** Id of the space; else the variable WELLWORN_SPACE, else the default space. */
  space?: string;
  /** How long one answer may take. */
  timeoutMs?: number;
}

/** A failure that the server told (its `code` and HTTP `status`), or `UNREACHABLE`. */
export class WellwornError extends Error {
  readonly code: string;
  readonly status: number | null;
  readonly retryAfterS: number | null;
}

/** A memory, spoken to as one agent. */
export class Wellworn {
  constructor(options?: Options);
  readonly agentId: string;
  readonly agentName: string;
  /** The documents of a space, and what its terms stand for. */
  readonly knowledge: Knowledge;
  /** Say anything: the memory answers, and keeps the prompt if it is an insight. */
  converse(prompt: string, options?: Ask): Promise<Reply>;
  /** Store a thought; return what is related to it. */
  remember(content: string, options?: Ask): Promise<Reply>;
  /** Ask without storing the question; thoughts that are returned are reinforced. */
  recall(question: string, options?: Ask): Promise<Reply>;
  /** Judge a thought that was returned in a session; a second signal replaces the first. */
  feedback(sessionId: string, thoughtId: string, signal: Signal): Promise<Feedback>;
  /** Pack what an agent should have before it goes on; without a prompt, what changed lately. */
  context(
    prompt?: string | null,
    options?: Partial<Omit<Schemas["ContextRequest"], "prompt" | "agent_id">>,
  ): Promise<Context>;
  /** Any other call of the API, by its method and its path. */
  call<P extends keyof paths, M extends MethodOf<P>>(
    method: M,
    path: P,
    call?: Call<paths[P][M]>,
  ): Promise<AnswerOf<paths[P][M]>>;
}

export interface Knowledge {
  /** Find documents, best first, each with up to three passages. */
  search(
    query: string,
    options?: Omit<QueryOf<"/api/knowledge/search">, "q">,
  ): Promise<FoundDocument[]>;
  /** Ask what a term stands for; it is never guessed. */
  resolve(
    term: string,
    options?: Partial<Omit<Schemas["ResolveRequest"], "term">>,
  ): Promise<Answer>;
  /** Return every fact about a term, each with its place in a document. */
  facts(term: string, options?: Omit<QueryOf<"/api/knowledge/provenance">, "term">): Promise<Fact[]>;
  /** List documents, with the reason for each that could not be read. */
  documents(options?: QueryOf<"/api/knowledge/documents">): Promise<Schemas["Documents"]>;
  /** Return a page of a document's text. */
  document(
    id: number,
    options?: QueryOf<"/api/knowledge/documents/{document_id}">,
  ): Promise<Schemas["DocumentPage"]>;
  /** Read what an agent should know about the knowledge before its task. */
  preamble(options?: QueryOf<"/api/knowledge/preamble">): Promise<string>;
}
