/** A match: the board, who plays, the moves, and what to do with it. */

import { html, useEffect, useReducer, useRef, useState } from "./vendor/preact.js";
import { Analysis } from "./analysis.js";
import { get, post } from "./api.js";
import { Board } from "./board.js";
import { Controls } from "./controls.js";
import { Live } from "./live.js";
import { MatchModel } from "./match_model.js";
import { MoveList } from "./move_list.js";
import { moveNames } from "./move_names.js";
import { Seats } from "./seats.js";
import { ofBrowser } from "./storage.js";

export function MatchPage({ match }) {
  const [, redraw] = useReducer((count) => count + 1, 0);
  const [model] = useState(() => new MatchModel(match, redraw));
  const [{ connected, problem }, setState] = useState({ connected: false, problem: "" });
  const [game, setGame] = useState(null);
  const [error, setError] = useState("");
  const [flipped, setFlipped] = useState(false);
  const [thoughts, setThoughts] = useState(null); // null: where the match is only watched
  useEffect(() => {
    const live = new Live(match, (event) => model.take(event), (connected, problem) => setState({ connected, problem }));
    return () => live.stop();
  }, [match]);
  useEffect(() => {
    if (!model.known) return;
    setError("");
    document.title = `${model.name} – Ludens`;
    get(`/game/${model.game}`).then(setGame, (reason) => setError(reason.message));
  }, [model.known, model.game]);
  const order = async (name, body = {}) => {
    try {
      setError("");
      if (name === "hint") model.awaitHint(body.node);
      await post(`/match/${match}/${name}`, body);
      return true;
    } catch (reason) {
      if (name === "hint") model.awaitHint(null);
      setError(reason.message);
      return false;
    }
  };
  const [letters, setLetters] = useState(ofBrowser.getItem(LETTERS) !== "off");
  const latest = useRef(null);
  latest.current = { model, order, setFlipped, setThoughts, letters };
  useEffect(() => {
    const press = (event) => key(event, latest.current);
    window.addEventListener("keydown", press);
    return () => window.removeEventListener("keydown", press);
  }, []);
  if (!model.known || !game) {
    return html`<main class="match-page"><p class=${error || problem ? "error" : "waiting"} role="status">${error || problem || "Ludens looks for the match …"}</p></main>`;
  }
  const play = (role, move) => {
    const here = model.looked === null;
    model.send(role);
    order("move", { role, move, node: model.shown, branch: !here }).finally(() => model.received(role));
    if (!here) model.look(model.at);
  };
  return html`<main class="match-page">
    <h1 class="unseen">${model.name}</h1>
    <div class="table">
      ${problem && html`<p class="banner" role="alert">${problem}</p>`}
      ${error && html`<p class="banner error" role="alert">${error} <button type="button" class="plain" onClick=${() => setError("")}>Close</button></p>`}
      <${BoardView} game=${game} model=${model} flipped=${flipped} thoughts=${thoughts ?? model.watched} onMove=${play} />
      <p class="status" role="status">${status(model)}${hint(model, game)}</p>
      <p class="unseen" role="status">${model.notes.at(-1) ?? ""}</p>
      ${(thoughts ?? model.watched) && thoughtBefore(model) && html`<p class="status waiting">No player has thought here: what led to the last move stands one position back.</p>`}
    </div>
    <div class="beside">
      <${Seats} model=${model} order=${order} />
      <${Controls} model=${model} order=${order} flipped=${flipped} setFlipped=${setFlipped} thoughts=${thoughts ?? model.watched} setThoughts=${setThoughts} />
      ${!model.watched && html`<${Analysis} model=${model} game=${game} order=${order} connected=${connected} />`}
      <${MoveList} model=${model} game=${game} />
      <${Keys} watched=${model.watched} letters=${letters} setLetters=${setLetters} />
      ${model.notes.length > 0 && html`<details class="notes" open><summary>What went wrong (${model.notes.length})</summary><ul>${model.notes.map((note) => html`<li>${note}</li>`)}</ul></details>`}
    </div>
  </main>`;
}

const KEYS = {
  ArrowLeft: ({ model }) => model.step(-1),
  ArrowRight: ({ model }) => model.step(1),
  Home: ({ model }) => model.step(-Infinity),
  End: ({ model }) => model.look(model.at),
  b: ({ order }) => order("back"),
  h: ({ model, order }) => model.chooser !== undefined && order("hint", { role: model.chooser, node: model.shown }),
  p: ({ model, order }) => order("pause", { paused: !model.paused }),
  f: ({ setFlipped }) => setFlipped((flipped) => !flipped),
  t: ({ model, setThoughts }) => setThoughts((shown) => !(shown ?? model.watched)),
};

const ORDERS = { b: "take back", h: "hint", p: "pause" }; // each asks the server for something
const SHOWN = { f: "turn the board", t: "thoughts of players" };
const LETTERS = "ludens-letters"; // as the browser keeps whether letters are keys

function key(event, { letters, ...page }) {
  const writing = event.target.closest?.("input:not([type=checkbox]), textarea, select, [contenteditable]");
  if (writing || event.ctrlKey || event.metaKey || event.altKey || !KEYS[event.key] || !page.model.known) return;
  if (event.key.length === 1 && !letters) return;
  if (event.key in ORDERS && (page.model.watched || event.repeat)) return;
  KEYS[event.key](page);
  event.preventDefault();
}

/** The keys, and a switch for letters: who dictates, or rests a hand on the keys, gives no orders without meaning to. */
function Keys({ watched, letters, setLetters }) {
  const change = ({ target: { checked } }) => {
    ofBrowser.setItem(LETTERS, checked ? "on" : "off");
    setLetters(checked);
  };
  return html`<details class="keys"><summary>Keys</summary>
    <p>← → Home End: step through the match. On the board: arrows, Enter, Escape.</p>
    <label><input type="checkbox" checked=${letters} onChange=${change} /> Letters: ${Object.entries({ ...(watched ? {} : ORDERS), ...SHOWN }).map(([letter, what]) => `${letter} ${what}`).join(", ")}</label></details>`;
}

/** Says what is known of a hint for the position that is looked at. */
function hint(model, game) {
  if (model.hintAwaited === model.shown) return " Ludens thinks about a hint …";
  if (model.hint?.node !== model.shown) return "";
  return ` Hint: ${moveNames(game)(model.hint.role, model.hint.move)}.`;
}

function BoardView({ game, model, flipped, thoughts, onMove }) {
  const box = useRef(null);
  const board = useRef(null);
  const handler = useRef(onMove);
  handler.current = onMove;
  useEffect(() => {
    board.current = new Board(box.current, game, {});
    board.current.addEventListener("move", ({ detail: { role, move } }) => {
      handler.current(role, board.current.moves.at(role, move).text);
    });
    return () => board.current.remove();
  }, [game]);
  useEffect(() => board.current.flip(flipped), [flipped]);
  useEffect(() => {
    const view = model.view(model.shown);
    if (!view) return;
    const node = model.node;
    const shown = model.analysing === model.shown ? node.analysis : thoughts ? node.thoughts?.at(-1) : undefined;
    const waiting = model.mine.filter((role) => !(model.looked === null && (model.chosen.includes(role) || model.sent.has(role))));
    const roles = waiting.join();
    if (board.current.allowed !== roles) {
      board.current.allowed = roles;
      board.current.setRoles(waiting);
    }
    board.current.show(view, {
      last: node.moves.length ? node.moves : undefined,
      before: (node.parent !== null && model.view(node.parent)) || undefined,
      thoughts: shown,
      hint: model.hint?.node === model.shown ? model.hint : undefined,
    });
  });
  return html`<div class="board" ref=${box}></div>`;
}

/** Says whether players have thought about the position before the one that is shown, and not about that one. */
function thoughtBefore(model) {
  const { parent, thoughts } = model.node;
  return !thoughts?.length && parent !== null && model.nodes[parent].thoughts?.length > 0;
}

function status(model) {
  const node = model.node;
  const past = model.looked !== null ? `Position ${model.line.indexOf(model.shown)} of ${model.line.length - 1}. ` : "";
  if (node.goals) return `${past}The game is over: ${model.roles.map((role, i) => `${role} ${node.goals[i] ?? "–"}`).join(", ")}.`;
  if (past) return model.mine.length ? `${past}A move from here begins a branch.` : past;
  if (model.ended) return `The match has ended before the game: ${model.ended}.`;
  const waits = model.node.choosers.filter((role) => !model.chosen.includes(role));
  if (!waits.length) return model.node.choosers.length || !model.mine.length ? "" : "Your move: there is only one.";
  const names = waits.map((role) => model.roles[role]).join(", ");
  const yours = waits.some((role) => model.mine.includes(role));
  const chosen = model.mine.some((role) => model.chosen.includes(role) && model.node.choosers.includes(role));
  if (yours) return waits.length > 1 ? `Choose your move: ${names} choose at the same time.` : `Your move: you are ${names}.`;
  const busy = waits.filter((role) => model.doing[role]).map((role) => ` ${model.roles[role]} ${model.doing[role]} …`);
  return (chosen ? `Your move is chosen. Waiting for ${names}.` : `It is the turn of ${names}.`) + busy.join("");
}
