// Compiled, never run: what callers write is typed by the server's own description.
import { Wellworn, WellwornError } from "../index.js";

const memory = new Wellworn({ agentId: "ana" });
const reply = await memory.recall("what is known?", { limit: 3, filter_tags: ["ops"] });
const content: string | null | undefined = reply.result.sources[0]?.content;
const feedback = await memory.feedback(reply.trace.session_id, "id", "useful");
const weight: number = feedback.pheromone_weight;
const page = await memory.call("get", "/api/v1/thoughts", { query: { limit: 5 } });
const ids: string[] = page.thoughts.map((thought) => thought.thought_id);
const preamble: string = await memory.knowledge.preamble({ budget_tokens: 500 });
// @ts-expect-error no such option
await memory.recall("what is known?", { limt: 3 });
// @ts-expect-error no such signal
await memory.feedback("session", "thought", "great");
// @ts-expect-error the path has no such method
await memory.call("delete", "/api/v1/thoughts");
const failure: string = new WellwornError().code;
export { content, failure, ids, preamble, weight };
