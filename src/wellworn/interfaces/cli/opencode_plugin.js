// wellworn: shows what this project's memory knows, and keeps what sessions leave. `wellworn uninstall opencode` removes this file.
import { spawn } from "node:child_process"

const COMMAND = ["wellworn-hook", "opencode"]
const ENVIRONMENT = {}

// Ask the hook about an event. Whatever fails, there is nothing to show.
const ask = (event) =>
  new Promise((resolve) => {
    let told = ""
    const env = { ...process.env, ...ENVIRONMENT }
    const child = spawn(COMMAND[0], COMMAND.slice(1), { env, stdio: ["pipe", "pipe", "ignore"] })
    child.on("error", () => resolve(""))
    child.stdin.on("error", () => {})
    child.stdout.on("data", (data) => (told += data))
    child.on("close", () => {
      try {
        resolve(JSON.parse(told).hookSpecificOutput.additionalContext)
      } catch {
        resolve("")
      }
    })
    child.stdin.end(JSON.stringify(event))
  })

// What was said, as `opencode export` writes it, without what tools were asked and answered.
const listSaid = (messages) =>
  messages.map(({ info: { id, role, time, modelID, summary }, parts }) => ({
    info: { id, role, time, modelID, summary: role === "assistant" && summary },
    parts: parts.filter((part) => part.type === "text"),
  }))

export const Wellworn = async ({ client, directory }) => {
  const started = new Set()
  // The hook keeps what is worth it, if the user has allowed that.
  const tell = async (event, sessionID) => {
    const path = { id: sessionID }
    const read = [client.session.get({ path }), client.session.messages({ path })]
    const [{ data: info }, { data: messages }] = await Promise.all(read).catch(() => [{}, {}])
    const { parentID, revert } = info ?? {}
    const transcript = { info: { id: sessionID, parentID, revert }, messages: listSaid(messages ?? []) }
    await ask({ hook_event_name: event, session_id: sessionID, cwd: directory, transcript })
  }
  return {
    event: async ({ event }) => {
      // Sessions go on for as long as one likes: each answer may be the last.
      if (event.type === "session.idle") await tell("SessionEnd", event.properties.sessionID)
    },
    "chat.message": async ({ sessionID }, { message, parts }) => {
      const written = parts.filter((part) => part.type === "text" && !part.synthetic)
      const prompt = written.map((part) => part.text).join("\n")
      const events = [{ hook_event_name: "UserPromptSubmit", prompt }]
      // What a session was shown before is known to the hook: one that goes on hears what is new.
      if (!started.has(sessionID)) events.unshift({ hook_event_name: "SessionStart", source: "resume" })
      started.add(sessionID)
      for (const [at, event] of events.entries()) {
        const text = await ask({ session_id: sessionID, cwd: directory, ...event })
        const id = `prt_${Date.now().toString(36)}${at}wellworn`
        if (text) parts.push({ id, sessionID, messageID: message.id, type: "text", synthetic: true, text })
      }
    },
    "experimental.session.compacting": async ({ sessionID }) => {
      started.delete(sessionID)
      await tell("PreCompact", sessionID)
    },
  }
}
