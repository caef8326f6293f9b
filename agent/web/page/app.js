/** The page: which view is shown follows from the address behind its #. */

import { html, render, useEffect, useState } from "./vendor/preact.js";
import { Home } from "./home.js";
import { MatchPage } from "./match_page.js";
import { Setup } from "./setup.js";
import { ofBrowser } from "./storage.js";

function Page() {
  const [address, setAddress] = useState(location.hash);
  useEffect(() => {
    const follow = () => setAddress(location.hash);
    window.addEventListener("hashchange", follow);
    return () => window.removeEventListener("hashchange", follow);
  }, []);
  const where = new URLSearchParams(address.slice(1));
  useEffect(() => {
    if (!where.has("match")) document.title = "Ludens";
  }, [address]);
  return html`
    <header class="top">
      <a class="home" href="#"><img src="/page/icon.svg" alt="" width="28" height="28" /> Ludens</a>
      <${Theme} />
    </header>
    ${where.has("match")
      ? html`<${MatchPage} key=${where.get("match")} match=${where.get("match")} />`
      : where.has("game")
        ? html`<${Setup} key=${where.get("game")} game=${where.get("game")} />`
        : html`<${Home} />`}
  `;
}

const THEMES = { "": "as the system", light: "light", dark: "dark" };

function Theme() {
  const [theme, setTheme] = useState(ofBrowser.getItem("ludens-theme") ?? "");
  useEffect(() => {
    if (theme) document.documentElement.dataset.theme = theme;
    else delete document.documentElement.dataset.theme;
    ofBrowser.setItem("ludens-theme", theme);
  }, [theme]);
  return html`<label class="theme">Colours
    <select value=${theme} onChange=${(event) => setTheme(event.target.value)}>
      ${Object.entries(THEMES).map(([value, text]) => html`<option value=${value} selected=${value === theme}>${text}</option>`)}
    </select></label>`;
}

const place = document.getElementById("app");
place.replaceChildren();
render(html`<${Page} />`, place);
