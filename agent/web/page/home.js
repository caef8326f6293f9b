/** The first view: games to choose from, rules to paste, matches that are on. */

import { html, useEffect, useRef, useState } from "./vendor/preact.js";
import { get, post } from "./api.js";
import { Archive } from "./archive.js";
import { Board } from "./board.js";
import { playerName } from "./players.js";
import { Sheet } from "./sheet.js";

const LOOK_MS = 3000; // between two looks for matches, where there is nothing else

export function Home() {
  const [games, setGames] = useState(null);
  const [matches, setMatches] = useState([]);
  const [open, setOpen] = useState(null); // whether games can be chosen here, or matches watched alone; null: unknown
  const [sheet, showSheet] = useState(null);
  const [folder, setFolder] = useState([]);
  const [words, setWords] = useState("");
  const [error, setError] = useState("");
  const [archive, setArchive] = useState(false);
  useEffect(() => {
    get("/games").then((found) => {
      setGames(found.games);
      setOpen(found.open);
    }, (reason) => setError(reason.message));
  }, []);
  useEffect(() => {
    const look = () => get("/matches").then((found) => setMatches(found.matches), () => {});
    look();
    const timer = open === false ? setInterval(look, LOOK_MS) : undefined;
    return () => clearInterval(timer);
  }, [open]);
  const setSheet = (chosen) => showSheet(chosen && { opened: Date.now(), ...chosen });
  const replay = async (file) => {
    try {
      location.hash = `match=${(await post("/records", { text: await file.text(), file: file.name })).match}`;
    } catch (reason) {
      setError(`${file.name}: ${reason.message}`);
    }
  };
  const read = async (files) => {
    const record = [...files].find((file) => /\.(json|xml|html|ptn)$/i.test(file.name));
    if (record && files.length === 1) return replay(record);
    const sheets = [...files].filter((file) => /\.(kif|gdl|txt)$/i.test(file.name));
    if (!sheets.length) return setError("There is no rule sheet among these files: their names end in .kif.");
    setError("");
    if (sheets.length === 1) return setSheet({ name: base(sheets[0]), text: await sheets[0].text() });
    setFolder(await Promise.all(sheets.slice(0, 500).map(async (file) => ({ name: base(file), text: await file.text() }))));
  };
  const chosen = async (event) => {
    await read(event.target.files);
    event.target.value = ""; // so that the same file can be chosen again, when it was mended
  };
  const drop = (event) => {
    if (!event.dataTransfer.files.length && event.target.closest("input, textarea")) return; // text that is moved there
    event.preventDefault();
    if (watched) return;
    if (event.dataTransfer.files.length) read(event.dataTransfer.files);
    else if (event.dataTransfer.getData("text")) setSheet({ name: "dropped", text: event.dataTransfer.getData("text") });
  };
  const watched = open === false;
  const fits = (game) => `${game.title ?? ""} ${game.name} ${game.summary ?? ""}`.toLowerCase().includes(words.toLowerCase());
  return html`<main class="home-page" onDragOver=${(event) => event.preventDefault()} onDrop=${drop}>
    <h1 id=${watched ? "matches-on" : undefined}>${watched ? "Matches to watch" : "What do you want to play?"}</h1>
    ${error && html`<p class="error" role="alert">${error}</p>`}
    ${watched && html`<p>${matches.length ? "" : "No match is on. "}This page shows matches, since other machines can reach it.</p>`}
    ${open && html`<div class="chooser">
      <input type="search" placeholder="Find a game" aria-label="Find a game" value=${words} onInput=${(event) => setWords(event.target.value)} />
      <button type="button" onClick=${() => setSheet({ name: "my_game", text: "", opened: 0 })}>Paste rules</button>
      <label class="button">Open a sheet or a record<input type="file" accept=".kif,.gdl,.txt,.json,.xml,.html,.ptn" multiple onChange=${chosen} /></label>
      <label class="button">Open a folder<input type="file" webkitdirectory onChange=${chosen} /></label>
    </div>`}
    ${sheet && html`<${Sheet} key=${sheet.opened} ...${sheet} onClose=${() => setSheet(null)} />`}
    ${matches.length > 0 && html`<section aria-labelledby="matches-on">${!watched && html`<h2 id="matches-on">Matches that are on</h2>`}
      <ul class="matches">${matches.map((match) => html`<li><a href="#match=${match.match}">${match.name.replaceAll("_", " ")}</a>
        <span> ${match.players.filter(Boolean).map(playerName).join(" – ")}, ${match.over ? "over" : match.goals ? `over: ${match.goals.join(" – ")}` : `after ${match.step} moves`}</span></li>`)}</ul></section>`}
    ${folder.length > 0 && html`<section aria-labelledby="folder"><h2 id="folder">From your folder</h2>
      <ul class="cards">${folder.filter(fits).map((game) => html`<${FolderCard} key=${game.name} ...${game} onFaults=${() => setSheet(game)} />`)}</ul></section>`}
    ${games === null && !error ? html`<p class="waiting" role="status">Looking for games …</p>` : ""}
    ${open && html`<details onToggle=${(event) => setArchive(event.target.open)}><summary>Matches that were played</summary>${archive && html`<${Archive} />`}</details>`}
    ${games && html`<ul class="cards">${games.filter(fits).map((game) => html`<${Card} key=${game.key} game=${game} />`)}</ul>`}
  </main>`;
}

function base(file) {
  return file.name.replace(/\.[^.]*$/, "");
}

function Card({ game }) {
  return html`<li><a class="card" href="#game=${game.key}">
    <${Picture} game=${game.key} />
    <strong>${game.title}</strong><small>${players(game.players)}</small><span>${game.summary}</span></a></li>`;
}

function players(count) {
  return count ? `${count} ${count === 1 ? "player" : "players"}` : "";
}

/** A sheet of the user's folder: its rules go to the server when it is chosen. */
function FolderCard({ name, text, onFaults }) {
  const [error, setError] = useState("");
  const choose = async () => {
    try {
      const { key } = await post("/sheets", { name, text });
      if (key) location.hash = `game=${key}`;
      else onFaults();
    } catch (reason) {
      setError(reason.message);
    }
  };
  const summary = text.match(/^;+\s*(\S.*)$/m)?.[1] ?? "";
  const count = new Set(text.match(/\(\s*role\s+[^\s?()]+\s*\)/gi) ?? []).size;
  return html`<li><button type="button" class="card" onClick=${choose}><strong>${name}</strong><small>${players(count)}</small>
    <span>${summary.slice(0, 120)}</span>${error && html`<span class="error" role="alert">${error}</span>`}</button></li>`;
}

let queue = Promise.resolve();

/** Asks for pictures one after the other: each may take a while, and a browser has six connections for everything. */
function inTurn(ask) {
  const turn = queue.then(ask, ask);
  queue = turn.catch(() => {});
  return turn;
}

/** The first position of a game, drawn once it comes into sight. */
function Picture({ game }) {
  const box = useRef(null);
  useEffect(() => {
    let board = null;
    const gone = new AbortController();
    const seen = new IntersectionObserver(async (entries) => {
      if (!entries.some((entry) => entry.isIntersecting)) return;
      seen.disconnect();
      const found = await inTurn(() => (gone.signal.aborted ? null : get(`/picture/${game}`, gone.signal))).catch(() => null);
      if (!found || gone.signal.aborted) return;
      board = new Board(box.current, found.game, { coordinates: false, animate: false });
      board.show(found.position);
    });
    seen.observe(box.current);
    return () => {
      gone.abort();
      seen.disconnect();
      board?.remove();
    };
  }, [game]);
  return html`<div class="picture" aria-hidden="true" inert><div ref=${box}></div></div>`;
}
