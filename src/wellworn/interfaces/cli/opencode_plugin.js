// wellworn: shows what this project's memory knows. `wellworn uninstall opencode` removes this file.
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

export const Wellworn = async ({ directory }) => {
  const started = new Set()
  return {
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
      await ask({ hook_event_name: "PreCompact", session_id: sessionID, cwd: directory })
    },
  }
}
