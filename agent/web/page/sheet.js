/** Rules that somebody types or pastes, with their mistakes beside the text. */

import { html, useEffect, useRef, useState } from "./vendor/preact.js";
import { post } from "./api.js";

const PAUSE_MS = 500; // of typing, until the rules are read

export function Sheet({ name, text, onClose }) {
  const [rules, setRules] = useState(text.replace(/\r\n?/g, "\n")); // as the text area has it
  const [title, setTitle] = useState(name);
  const [found, setFound] = useState(null);
  const [error, setError] = useState("");
  const [playing, setPlaying] = useState(false);
  const area = useRef(null);
  const latest = useRef(0);
  const check = async (play) => {
    const mine = ++latest.current;
    setPlaying(play && Boolean(rules.trim()));
    if (!rules.trim()) return setFound(null);
    try {
      const answer = await post("/sheets", { name: title, text: rules, play });
      if (mine !== latest.current) return;
      setFound({ ...answer, rules, title });
      setError("");
    } catch (reason) {
      if (mine !== latest.current) return;
      setFound(null);
      setError(reason.message);
    } finally {
      if (mine === latest.current) setPlaying(false);
    }
  };
  useEffect(() => {
    const timer = setTimeout(() => check(false), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [rules, title]);
  useEffect(() => area.current.focus(), []);
  const go = ({ line, column }) => {
    const start = rules.split("\n").slice(0, line - 1).join("\n").length + (line > 1 ? 1 : 0) + Math.max(0, column - 1);
    area.current.focus();
    area.current.setSelectionRange(start, Math.min(rules.length, start + 1));
    area.current.scrollTop = (line - 4) * Number.parseFloat(getComputedStyle(area.current).lineHeight);
    scroll();
  };
  const numbers = useRef(null);
  const scroll = () => (numbers.current.scrollTop = area.current.scrollTop);
  const key = found?.rules === rules && found.title === title ? found.key : null; // of these very rules
  const wrong = new Map((found?.findings ?? []).map((finding) => [finding.line, finding.severity]));
  return html`<section class="sheet" aria-label="Rules">
    <div class="sheet-head"><label>Name <input value=${title} onInput=${(event) => setTitle(event.target.value)} /></label>
      <button type="button" class="plain" onClick=${onClose}>Close</button></div>
    <div class="sheet-body">
      <div class="editor"><ol class="numbers" ref=${numbers} aria-hidden="true">${rules.split("\n").map((_, i) => html`<li class=${wrong.get(i + 1) ?? ""}>${i + 1}</li>`)}</ol>
        <textarea ref=${area} spellcheck="false" wrap="off" aria-label="Rules in GDL" placeholder="Paste the rules of a game here, in GDL." value=${rules}
          onInput=${(event) => setRules(event.target.value)} onScroll=${scroll}></textarea></div>
      <div class="findings" role="status">
        ${error && html`<p class="error">${error}</p>`}
        ${found && html`<p>${verdict(found.findings)}</p><ul>${found.findings.map(
          (finding) => html`<li class=${finding.severity}><button type="button" class="plain" disabled=${!finding.line} onClick=${() => go(finding)}>
            ${finding.line ? html`<b>line ${finding.line}, column ${finding.column}</b>: ` : ""}${finding.severity}: ${finding.message}</button></li>`,
        )}</ul>`}
      </div>
    </div>
    <p class="buttons"><a class=${`button main${key ? "" : " off"}`} href=${key ? `#game=${key}` : undefined} aria-disabled=${!key}>Play this game</a>
      <button type="button" disabled=${!key || playing} onClick=${() => check(true)}>${playing ? "Playing …" : "Look for mistakes by playing"}</button></p>
  </section>`;
}

function verdict(findings) {
  const count = (severity) => findings.filter((finding) => finding.severity === severity).length;
  const [errors, warnings] = [count("error"), count("warning")];
  if (errors) return `${errors} ${errors === 1 ? "mistake" : "mistakes"} to mend before the game can be played.`;
  return warnings ? `It can be played; ${warnings} ${warnings === 1 ? "thing looks" : "things look"} odd.` : "No mistake found.";
}
