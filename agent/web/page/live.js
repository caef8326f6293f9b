/**
 * Follows a match as it is played, whatever happens to the connection.
 *
 * A browser allows six connections to a server: while a page is hidden it gives its own back, and when it is seen again
 * it begins with a new snapshot, as after a sleep or a restart of the server.
 */

import { tab } from "./api.js";

const SILENCE_MS = 40000; // the server says something every 15 seconds, or sends more of something long
const RETRY_MS = 1500; // after the server has refused
const LOST = "No connection to Ludens. The match is kept; this page tries again by itself.";

export class Live {
  /**
   * @param {string} match
   * @param {(event: object) => void} onEvent
   * @param {(connected: boolean, problem: string) => void} onState gets also why there is no connection
   */
  constructor(match, onEvent, onState) {
    this.address = `/match/${match}/events?tab=${tab}`;
    this.onEvent = onEvent;
    this.onState = onState;
    this.source = null;
    this.timer = undefined; // opens another connection, if nothing comes over this one
    this.look = () => (document.hidden ? this.#close() : this.#open());
    document.addEventListener("visibilitychange", this.look);
    window.addEventListener("pagehide", (this.leave = () => this.#close()));
    window.addEventListener("online", this.look);
    this.look();
  }

  /** Ends it. */
  stop() {
    document.removeEventListener("visibilitychange", this.look);
    window.removeEventListener("pagehide", this.leave);
    window.removeEventListener("online", this.look);
    this.#close();
  }

  #open() {
    this.#close();
    const source = (this.source = new EventSource(this.address));
    let begun = ""; // of a long event, which comes in parts
    source.onmessage = ({ data }) => {
      const text = begun + data;
      begun = "";
      this.#openAfter(SILENCE_MS);
      this.onState(true, "");
      this.onEvent(JSON.parse(text));
    };
    source.addEventListener("part", ({ data }) => {
      begun += data;
      this.#openAfter(SILENCE_MS);
    });
    source.addEventListener("alive", () => this.#openAfter(SILENCE_MS));
    source.addEventListener("refused", ({ data }) => {
      this.#close();
      this.onState(false, JSON.parse(data));
      this.#openAfter(RETRY_MS);
    });
    source.onerror = () => {
      if (source !== this.source) return;
      begun = "";
      this.onState(false, LOST);
      if (source.readyState === EventSource.CLOSED) this.#openAfter(RETRY_MS);
    };
    this.#openAfter(SILENCE_MS);
  }

  #openAfter(milliseconds) {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.#open(), milliseconds);
  }

  #close() {
    clearTimeout(this.timer);
    this.source?.close();
    this.source = null;
  }
}
