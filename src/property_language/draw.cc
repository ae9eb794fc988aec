// SPDX-License-Identifier: Apache-2.0

#include "property_language/draw.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>

namespace foretell::property_language {
namespace {

// Of a monitor with more states only these are drawn.
constexpr size_t kMostDrawn = 24;

struct Drawing {
  Reached reached;
  std::vector<std::string> names;  // of the states
};

Drawing drawing_of(const Property& property) {
  Drawing drawing;
  if (property.automaton) {
    drawing.reached.automaton = *property.automaton;
  } else {
    drawing.reached = reached_states(*property.monitor(), *property.alphabet,
                                     property.form == Form::grammar ? kMostDrawn : kMostDrawn * 40);
  }
  drawing.names = drawing.reached.names;
  const auto& states = drawing.reached.automaton.states;
  for (size_t i = drawing.names.size(); i < states.size(); ++i) {
    drawing.names.push_back(states[i].verdict == Verdict::violated    ? "violated"
                            : states[i].verdict == Verdict::satisfied ? "satisfied"
                                                                      : fmt::format("{}", i));
  }
  return drawing;
}

std::string_view word_of(Verdict verdict) {
  switch (verdict) {
    case Verdict::violated:
      return "violated";
    case Verdict::satisfied:
      return "satisfied";
    case Verdict::inconclusive:
      break;
  }
  return "inconclusive";
}

// By source and target: the letters, in one text.
std::map<std::pair<uint32_t, uint32_t>, std::string> edges_of(const Drawing& drawing,
                                                              const Alphabet& alphabet) {
  std::map<std::pair<uint32_t, uint32_t>, std::string> edges;
  const auto& states = drawing.reached.automaton.states;
  for (uint32_t s = 0; s < states.size(); ++s) {
    if (states[s].verdict == Verdict::violated) continue;
    for (Letter letter = 0; letter < alphabet.size(); ++letter) {
      if (states[s].next[letter] == ~0u) continue;
      std::string& text = edges[{s, states[s].next[letter]}];
      text += (text.empty() ? "" : ", ") + alphabet.text(letter);
    }
  }
  return edges;
}

std::string note_of(const Property& property, const Drawing& drawing) {
  if (property.form == Form::atomic) {
    return "The monitor looks at threads: between begin and end no event may be of another "
           "thread.\n";
  }
  if (!drawing.reached.is_complete) {
    return fmt::format("The monitor has infinitely many states, or more than the {} shown.\n",
                       drawing.names.size());
  }
  return "";
}

std::string escaped(std::string_view text) {
  std::string out;
  for (char c : text) {
    if (c == '<') {
      out += "&lt;";
    } else if (c == '&') {
      out += "&amp;";
    } else {
      out += c;
    }
  }
  return out;
}

}  // namespace

std::string to_text(const Property& property) {
  std::string text = fmt::format("property {}  ({})\n", property.name, property.where);
  if (!property.about.empty()) text += fmt::format("  {}\n", property.about);
  text += fmt::format("  {} in {}\n", property.formula,
                      property.quantifier == Quantifier::some_run ? "some run" : "all runs");
  for (size_t i = 0; i < property.parameters.size(); ++i) {
    text += fmt::format("{}{}", i == 0 ? "  for each " : ", ", property.parameters[i]);
  }
  if (!property.parameters.empty()) text += '\n';
  const Drawing drawing = drawing_of(property);
  text += note_of(property, drawing);
  if (property.form == Form::atomic) return text;
  const Alphabet& alphabet = *property.alphabet;
  std::vector<size_t> width = {5};
  for (const std::string& name : drawing.names) width[0] = std::max(width[0], name.size());
  text += fmt::format("  {:<{}}", "state", width[0]);
  for (Letter letter = 0; letter < alphabet.size(); ++letter) {
    width.push_back(std::max<size_t>(alphabet.text(letter).size(), 9));
    text += fmt::format("  {:<{}}", alphabet.text(letter), width.back());
  }
  text += "  may end\n";
  const auto& states = drawing.reached.automaton.states;
  for (uint32_t s = 0; s < states.size(); ++s) {
    text += fmt::format("  {:<{}}", drawing.names[s], width[0]);
    for (Letter letter = 0; letter < alphabet.size(); ++letter) {
      const uint32_t next = states[s].next[letter];
      text += fmt::format("  {:<{}}", next == ~0u ? "..." : drawing.names[next], width[letter + 1]);
    }
    text += states[s].may_end ? "  yes\n" : "  no\n";
  }
  return text;
}

std::string to_dot(const Property& property) {
  const Drawing drawing = drawing_of(property);
  std::string text = fmt::format("digraph \"{}\" {{\n  rankdir=LR;\n  label=\"{}\";\n",
                                 property.name, property.formula);
  text += "  start [shape=point];\n  start -> 0;\n";
  const auto& states = drawing.reached.automaton.states;
  for (uint32_t s = 0; s < states.size(); ++s) {
    const std::string_view shape = states[s].verdict == Verdict::violated ? "octagon"
                                   : states[s].may_end                    ? "doublecircle"
                                                                          : "circle";
    text += fmt::format("  {} [label=\"{}\", shape={}];\n", s, drawing.names[s], shape);
  }
  for (const auto& [ends, letters] : edges_of(drawing, *property.alphabet)) {
    text += fmt::format("  {} -> {} [label=\"{}\"];\n", ends.first, ends.second, letters);
  }
  return text + "}\n";
}

std::string to_hoa(const Property& property) {
  const Drawing drawing = drawing_of(property);
  if (property.form == Form::atomic || !drawing.reached.is_complete) return "";
  const Alphabet& alphabet = *property.alphabet;
  const auto& states = drawing.reached.automaton.states;
  std::string text = fmt::format("HOA: v1\nname: \"{}\"\nStates: {}\nStart: 0\nAP: {}",
                                 property.name, states.size(), alphabet.names().size());
  for (const std::string& name : alphabet.names()) text += fmt::format(" \"{}\"", name);
  text += "\nacc-name: Buchi\nAcceptance: 1 Inf(0)\nproperties: deterministic explicit-labels\n";
  text += "--BODY--\n";
  for (uint32_t s = 0; s < states.size(); ++s) {
    text += fmt::format("State: {} \"{}\"{}\n", s, drawing.names[s],
                        states[s].verdict == Verdict::violated ? "" : " {0}");
    for (Letter letter = 0; letter < alphabet.size(); ++letter) {
      std::string label;
      for (size_t i = 0; i < alphabet.names().size(); ++i) {
        const bool in = (alphabet[letter] >> i & 1) != 0;
        label += fmt::format("{}{}{}", i == 0 ? "" : "&", in ? "" : "!", i);
      }
      text += fmt::format("  [{}] {}\n", label, states[s].next[letter]);
    }
  }
  return text + "--END--\n";
}

// States on a circle, edges as arcs, so that no layout program is needed.
std::string to_html(const Property& property) {
  const Drawing drawing = drawing_of(property);
  const auto& states = drawing.reached.automaton.states;
  const double radius = 60 + 40 * static_cast<double>(states.size());
  const double middle = radius + 120;
  auto place = [&](uint32_t s) {
    const double angle =
        std::numbers::pi * (1 + 2 * static_cast<double>(s) / static_cast<double>(states.size()));
    return std::pair(middle + radius * std::cos(angle), middle + radius * std::sin(angle));
  };
  std::string svg;
  for (const auto& [ends, letters] : edges_of(drawing, *property.alphabet)) {
    const auto [x, y] = place(ends.first);
    const auto [u, v] = place(ends.second);
    const bool loop = ends.first == ends.second;
    // Bent to one side, so that the way back is another arc.
    const double bx = loop ? x + (x - middle) * 0.5 : (x + u) / 2 - (v - y) * 0.2;
    const double by = loop ? y + (y - middle) * 0.5 : (y + v) / 2 + (u - x) * 0.2;
    svg +=
        loop ? fmt::format("<path d='M{:.0f} {:.0f} C{:.0f} {:.0f} {:.0f} {:.0f} {:.0f} {:.0f}'/>",
                           x, y, bx - 40, by - 40, bx + 40, by + 40, x, y)
             : fmt::format("<path d='M{:.0f} {:.0f} Q{:.0f} {:.0f} {:.0f} {:.0f}'/>", x, y, bx, by,
                           u, v);
    svg += fmt::format("<text x='{:.0f}' y='{:.0f}'>{}</text>\n", loop ? bx : (x + u) / 4 + bx / 2,
                       loop ? by : (y + v) / 4 + by / 2, escaped(letters));
  }
  for (uint32_t s = 0; s < states.size(); ++s) {
    const auto [x, y] = place(s);
    svg += fmt::format(
        "<circle class='{}' cx='{:.0f}' cy='{:.0f}' r='26'/><text x='{:.0f}' "
        "y='{:.0f}'>{}</text>\n",
        word_of(states[s].verdict), x, y, x, y + 4, escaped(drawing.names[s]));
  }
  return fmt::format(
      "<!doctype html>\n<meta charset=utf-8>\n<title>{0}</title>\n<style>body{{font:14px "
      "sans-serif}}"
      "path{{fill:none;stroke:#888;marker-end:url(#arrow)}}text{{text-anchor:middle;font-size:12px}"
      "}"
      "circle{{fill:#eef;stroke:#447}}.violated{{fill:#fcc;stroke:#a00}}.satisfied{{fill:#cfc}}"
      "</style>\n<h1>{0}</h1>\n<p>{1}</p>\n<svg width={2:.0f} height={2:.0f}><defs><marker "
      "id=arrow "
      "markerWidth=8 markerHeight=8 refX=34 refY=4 orient=auto><path d='M0 0 L8 4 L0 8'/></marker>"
      "</defs>\n{3}</svg>\n<pre>{4}</pre>\n",
      escaped(property.name), escaped(property.about), 2 * middle, svg, escaped(to_text(property)));
}

}  // namespace foretell::property_language
