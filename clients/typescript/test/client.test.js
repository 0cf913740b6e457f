// Against a real server, whose address stands in WELLWORN_URL; tests/clients/test_typescript.py
// starts one.
import assert from "node:assert/strict";
import { createServer } from "node:http";
import { test } from "node:test";

import { Wellworn, WellwornError } from "../index.js";

const STAGING = "The staging database refuses connections after 100 clients. Restart the pooler.";
const PROMPT = "staging is refusing my connections again";
const ana = new Wellworn({ agentId: "ana" });
const ben = new Wellworn({ agentId: "ben", agentName: "Ben" });

test("what one agent remembers another recalls, rates and is shown before it goes on", async () => {
  const said = await ana.remember(STAGING, { tags: ["ops"] });
  const reply = await ben.recall(PROMPT, { limit: 3, filter_tags: ["ops"] });
  const [source] = reply.result.sources;
  assert.equal(source.content, STAGING);
  assert.equal(source.contributor, "ana");
  assert.equal(source.thought_id, said.trace.thought_id);
  const rated = await ben.feedback(reply.trace.session_id, source.thought_id, "useful");
  assert.equal(rated.signal, "useful");
  const context = await ben.context(PROMPT, { budget_tokens: 300 });
  assert.match(context.text, /Restart the pooler/);
  const again = await ben.context(PROMPT, { leave_out: [source.thought_id] });
  assert.deepEqual(again.items, []);
  assert.ok((await ben.context()).text);
});

test("a prompt is answered, and kept where it states something", async () => {
  const reply = await ben.converse("Release 4 ships on Tuesday.");
  assert.equal(reply.trace.contribution, "statement");
  const key = "a-key-of-mine";
  const first = await ben.remember("The lift is out of order.", { idempotency_key: key });
  const second = await ben.remember("The lift is out of order.", { idempotency_key: key });
  assert.deepEqual(second, first);
});

test("documents are searched, read and resolved", async () => {
  const [document] = await ben.knowledge.search("who runs the harbour host?", { limit: 1 });
  assert.equal(document.path, "hosts.md");
  const { documents } = await ben.knowledge.documents({ limit: 5 });
  const page = await ben.knowledge.document(documents[0].id, { limit: 9 });
  assert.equal(page.text.length, 9);
  const answer = await ben.knowledge.resolve("nothing-of-that-name", { learn: false });
  assert.equal(answer.term, "nothing-of-that-name");
  assert.ok(Array.isArray(await ben.knowledge.facts("harbour")));
  assert.equal(typeof (await ben.knowledge.preamble({ budget_tokens: 500 })), "string");
});

test("every other call is made by its path", async () => {
  const page = await ana.call("get", "/api/v1/thoughts", { query: { by: "ana", limit: 1 } });
  const [{ thought_id }] = page.thoughts;
  const path = { thought_id };
  const thought = await ana.call("get", "/api/v1/thoughts/{thought_id}", { path });
  assert.equal(thought.contributor_id, "ana");
  await ana.call("delete", "/api/v1/thoughts/{thought_id}", { path, body: { agent_id: "ana" } });
  assert.equal((await ana.call("get", "/api/v1/thoughts/{thought_id}", { path })).content, "");
});

test("a refusal says why", async () => {
  await assert.rejects(ana.remember(" "), (failure) => {
    assert.ok(failure instanceof WellwornError);
    assert.equal(failure.code, "VALIDATION_ERROR");
    assert.equal(failure.status, 400);
    return /prompt/.test(failure.message);
  });
  const stranger = new Wellworn({ key: "wwk_not_a_key", space: "ks-other" });
  await assert.rejects(stranger.recall("anything"), { status: 401 });
  const nobody = new Wellworn({ url: "http://127.0.0.1:9" });
  await assert.rejects(nobody.recall("anything"), { code: "UNREACHABLE", status: null });
});

test("a lost connection is tried again under the same key, and what may be done twice is not", async () => {
  const keys = [];
  let calls = 0;
  const server = createServer((request, response) => {
    calls += 1;
    keys.push(request.headers["idempotency-key"]);
    if (request.url.endsWith("/memory") && calls === 2) {
      response.setHeader("content-type", "application/json");
      response.end(JSON.stringify({ result: { response: "told" } }));
    } else {
      request.socket.destroy();
    }
  });
  await new Promise((listening) => server.listen(0, "127.0.0.1", listening));
  const memory = new Wellworn({ url: `http://127.0.0.1:${server.address().port}/` });
  assert.equal((await memory.recall("anything")).result.response, "told");
  assert.equal(new Set(keys).size, 1);
  calls = 2;
  await assert.rejects(memory.feedback("session", "thought", "useful"), { code: "UNREACHABLE" });
  assert.equal(calls, 3);
  server.close();
});
