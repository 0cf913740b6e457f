/**
 * A client of wellworn, for Node 20 and newer and for whatever else has `fetch`. No dependencies.
 *
 * What is sent and answered is named as on the wire; `schema.d.ts` is made of the server's own
 * description of it.
 */

const ATTEMPTS = 3;
const variable = (name) => globalThis.process?.env?.[name];

/** A failure that the server told (its `code` and HTTP `status`), or `UNREACHABLE`. */
export class WellwornError extends Error {
  constructor(code, message, { status = null, retryAfterS = null, cause } = {}) {
    super(message, { cause });
    this.name = "WellwornError";
    this.code = code;
    this.status = status;
    this.retryAfterS = retryAfterS;
  }
}

/** A memory, spoken to as one agent. */
export class Wellworn {
  #url;
  #headers;
  #timeoutMs;

  constructor({ url, agentId, agentName, key, space, timeoutMs = 30_000 } = {}) {
    this.agentId = agentId ?? "typescript";
    this.agentName = agentName ?? this.agentId;
    this.#url = (url ?? variable("WELLWORN_URL") ?? "http://127.0.0.1:3200").replace(/\/+$/, "");
    this.#timeoutMs = timeoutMs;
    const secret = key ?? variable("WELLWORN_KEY");
    const place = space ?? variable("WELLWORN_SPACE");
    this.#headers = {
      ...(secret && { authorization: `Bearer ${secret}` }),
      ...(place && { "wellworn-space": place }),
    };
    this.knowledge = new Knowledge(this);
  }

  converse(prompt, options) {
    return this.#prompt(prompt, "auto", options);
  }

  remember(content, options) {
    return this.#prompt(content, "always", options);
  }

  recall(question, options) {
    return this.#prompt(question, "never", options);
  }

  feedback(sessionId, thoughtId, signal) {
    const body = { session_id: sessionId, thought_id: thoughtId, signal, agent_id: this.agentId };
    return this.call("post", "/api/v1/memory/feedback", { body });
  }

  context(prompt, options) {
    const body = { ...options, prompt, agent_id: this.agentId };
    return this.call("post", "/api/v1/context", { body });
  }

  /** Any other call: what is not listed above has a path and types, too. */
  async call(method, path, { path: parts = {}, query = {}, body, headers = {} } = {}) {
    const verb = method.toUpperCase();
    const filled = path.replace(/\{(\w+)\}/g, (_, name) => encodeURIComponent(parts[name]));
    const request = {
      method: verb,
      headers: { ...this.#headers, ...headers },
      redirect: "error",
    };
    if (body !== undefined) {
      request.headers["content-type"] = "application/json";
      request.body = JSON.stringify(body);
    }
    const isSafe = verb === "GET" || "idempotency-key" in headers;
    return this.#send(filled + search(query), request, isSafe ? ATTEMPTS : 1);
  }

  #prompt(prompt, contribute, { idempotency_key: key, ...options } = {}) {
    const who = { agent_id: this.agentId, agent_name: this.agentName };
    return this.call("post", "/api/v1/memory", {
      body: { explain: true, ...options, prompt, contribute, ...who },
      headers: { "idempotency-key": key ?? crypto.randomUUID() },
    });
  }

  /** Send a request, and again where the connection is lost and nothing is done twice. */
  async #send(path, request, attempts) {
    try {
      const signal = AbortSignal.timeout(this.#timeoutMs);
      return await read(await fetch(this.#url + path, { ...request, signal }));
    } catch (cause) {
      if (cause instanceof WellwornError) {
        throw cause;
      }
      if (attempts > 1 && cause.name !== "TimeoutError") {
        return this.#send(path, request, attempts - 1);
      }
      throw new WellwornError("UNREACHABLE", `no answer from ${this.#url}`, { cause });
    }
  }
}

/** The documents of a space, and what its terms stand for. */
class Knowledge {
  #memory;

  constructor(memory) {
    this.#memory = memory;
  }

  async search(query, options) {
    const asked = { q: query, ...options };
    return (await this.#memory.call("get", "/api/knowledge/search", { query: asked })).results;
  }

  resolve(term, options) {
    const body = { agent_id: this.#memory.agentId, ...options, term };
    return this.#memory.call("post", "/api/knowledge/resolve", { body });
  }

  async facts(term, options) {
    const asked = { term, ...options };
    return (await this.#memory.call("get", "/api/knowledge/provenance", { query: asked })).values;
  }

  documents(options) {
    return this.#memory.call("get", "/api/knowledge/documents", { query: options });
  }

  document(id, options) {
    const path = { document_id: id };
    return this.#memory.call("get", "/api/knowledge/documents/{document_id}", {
      path,
      query: options,
    });
  }

  preamble(options) {
    return this.#memory.call("get", "/api/knowledge/preamble", { query: options });
  }
}

function search(query) {
  const words = Object.entries(query ?? {})
    .flatMap(([name, value]) => [value].flat().map((each) => [name, each]))
    .filter(([, value]) => value !== undefined && value !== null);
  return words.length ? `?${new URLSearchParams(words)}` : "";
}

async function read(response) {
  const isJson = /\bapplication\/json\b/.test(response.headers.get("content-type"));
  const answer = isJson ? await response.json() : await response.text();
  if (response.ok) {
    return answer;
  }
  const { code = "INTERNAL_ERROR", message = response.statusText } = answer?.error ?? {};
  const wait = response.headers.get("retry-after");
  const retryAfterS = wait === null ? null : Number(wait);
  throw new WellwornError(code, message, { status: response.status, retryAfterS });
}
